"""What people type by mistake: exit code 2, and a line that says what is wrong and what to do.

Tables that cannot be used have a list of their own, ``test_bad_tables.py``.
"""

import shlex
from pathlib import Path

import pytest

SMALL = "synthetic:samples=60,features=30,informative=3"

#: Command line -> part of what it answers; ``{S}`` is a small data set.
BAD = [
    ("run", "no data set: name one with --dataset (`wpfs-bench"),
    ("run -m majority", "no data set: name one with --dataset (`wpfs-bench"),
    ("run -d {S}", "no method: name one with --model (`wpfs-bench models`"),
    ("run -m majorty -d {S}", "no method 'majorty' (did you mean 'majority'?):"),
    ('run -m "" -d {S}', "no method: name one with --model (`wpfs-bench models`"),
    ('run -m "," -d {S}', "no method: name one with --model (`wpfs-bench models`"),
    ('run -m "zz*" -d {S}', "no method 'zz*': `wpfs-bench models` lists them"),
    ("run -m majority -d prostat", "no data set 'prostat' (did you mean 'prostate'?):"),
    ('run -m majority -d "zz*"', "no data set 'zz*': `wpfs-bench datasets` lists them"),
    ("run -m majority -d prostate", "data set 'prostate' is not ready in data, run `wpfs-bench"),
    ('run -m majority -d "lung,smk"', "2 data sets are not ready in data, run `wpfs-bench"),
    ("run -m majority -d synthetic:samples", "synthetic:samples: samples must be a number, not ''"),
    (
        "run -m majority -d synthetic:sample=60",
        "synthetic:sample=60: unknown parameter 'sample', use one",
    ),
    (
        "run -m majority -d synthetic:samples=many",
        "synthetic:samples=many: samples must be a number, not",
    ),
    (
        "run -m majority -d synthetic:samples=5",
        "synthetic: 5 samples are too few for 3 classes (the",
    ),
    ("run -m majority -d synthetic:features=1", "synthetic: features must be at least 2, not 1"),
    (
        "run -m majority -d synthetic:informative=0",
        "synthetic: informative must be 1 to 1000, not 0",
    ),
    ("run -m majority -d synthetic:classes=1", "synthetic: classes must be at least 2, not 1"),
    ("run -m majority -d synthetic:noise=-1", "synthetic: noise must be a number from 0, not -1.0"),
    (
        "run -m majority -d synthetic:seed=-1",
        "synthetic: seed must be a whole number from 0, not -1",
    ),
    (
        "run -m majority -d synthetic:samples=100000000",
        "synthetic: 100000000 samples x 1000 features are more",
    ),
    ("run -m majority -d lung:sample=9", "lung:sample=9: write a sample of a data set as"),
    ("run -m majority -d lung:samples=x", "lung:samples=x: write a sample of a data set as"),
    ("run -m majority -d {S} --folds 1", "Invalid value for '--folds': Input should be"),
    ("run -m majority -d {S} --folds 60", "data set {S}: class 'class-0' has 31 samples, 60 folds"),
    ("run -m majority -d {S} --folds two", "Invalid value for '--folds': Input should be a"),
    ("run -m majority -d {S} --repeats 0", "Invalid value for '--repeats': Input should be"),
    ("run -m majority -d {S} --seeds x", "--seeds x: write whole numbers, for example 42,43"),
    (
        "run -m majority -d {S} --seeds -1",
        "--seeds -1: write whole numbers from 0 to 4294967295, for",
    ),
    (
        'run -m majority -d {S} --seeds ""',
        "--seeds : write whole numbers from 0 to 4294967295, for",
    ),
    (
        "run -m majority -d {S} --seeds 99999999999",
        "--seeds 99999999999: write whole numbers from 0 to",
    ),
    (
        "run -m majority -d {S} --hyperparameters best",
        "--hyperparameters best: choose one of paper, default,",
    ),
    ("run -m majority -d {S} --set alpha", "--set alpha: write it as name=value"),
    (
        "run -m majority -d {S} --set alpha=1",
        "majority has no hyper-parameter 'alpha': allowed are none",
    ),
    (
        "run -m knn -d {S} --set n_neighbours=3",
        "knn has no hyper-parameter 'n_neighbours': did you mean",
    ),
    (
        "run -m knn -d {S} --set n_neighbors=true",
        "knn: n_neighbors must be a number (default 5), not True",
    ),
    ("run -m knn -d {S} --set n_neighbors=nan", "knn: n_neighbors must be finite, not nan"),
    ("run -m wpfs -d {S} --set sparsity=-1", "wpfs: sparsity must be a number from 0, not -1.0"),
    (
        "run -m wpfs -d {S} --set dropout=1",
        "wpfs: dropout must be a number from 0 to below 1, not 1.0",
    ),
    (
        "run -m wpfs -d {S} --set schedule=cosine",
        "wpfs: schedule must be one of exponential, linear,",
    ),
    (
        "run -m wpfs -d {S} --set hidden_sizes=0",
        "wpfs: hidden_sizes must be one or more whole numbers from",
    ),
    (
        "run -m wpfs -d {S} --set embedding=pca",
        "wpfs: embedding must be one of nmf, svd, feature-values,",
    ),
    (
        "run -m wpfs -d {S} --set batch_size=1",
        "wpfs: batch_size must be a whole number from 2, not 1",
    ),
    (
        "run -m knn -d {S} --hyperparameters tuned --set n_neighbors=3",
        "--set and --hyperparameters tuned contradict each other:",
    ),
    ("run --study spn -m wpfs -d {S}", "--study chooses the methods itself: leave --model out"),
    ("run --study nothing -d {S}", "there is no study 'nothing': choose one of cae,"),
    (
        "run --study spn --hyperparameters tuned -d {S}",
        "--study chooses the hyper-parameters itself: leave",
    ),
    ("run --study spn --set sparsity=1 -d {S}", "--set sparsity: the study spn varies it itself"),
    (
        "run --study dataset-size -d prostate",
        "data set 'prostate' is not ready in data, run `wpfs-bench",
    ),
    ("run -m majority -d {S} --gpu 0", "--gpu 0: no GPU is available on this machine; leave --gpu"),
    ("run -m majority -d {S} --gpu first", "--gpu first: write 0, 0,1 or all"),
    ("run -m majority -d {S} --jobs 0", "Invalid value for '--jobs': Input should be"),
    ("run -m majority -d {S} --jobs-per-gpu 2", "--jobs-per-gpu 2: only with --gpu"),
    ("run -m majority -d {S} --threads 0", "Invalid value for '--threads': Input should be"),
    (
        "run -m majority -d {S} --timeout soon",
        "--timeout soon: write a duration as 90s, 15m, 2h or 1h30m",
    ),
    ("run -m majority -d {S} --timeout 0", "--timeout 0: write a duration of more than 0"),
    (
        "run -m majority -d {S} --memory-limit much",
        "--memory-limit much: write an amount of memory as 500M or",
    ),
    (
        "run -m majority -d {S} --memory-limit 0G",
        "--memory-limit 0G: write an amount of memory as 500M or 4G",
    ),
    ("run -m majority -d {S} --executor slurm", "--executor slurm: choose one of local, ray"),
    ("run -m majority -d {S} --ray-address auto", "--ray-address: only with --executor ray"),
    (
        "run -m majority -d {S} --executor ray --gpu 0",
        "--gpu 0: with --executor ray say --gpu all, Ray places",
    ),
    (
        "run -m majority -d {S} --force --retry-failed",
        "--force and --retry-failed contradict each other: choose",
    ),
    ("run -m majority -d {S} --shard 0/3", "--shard 0/3: write it as i/n with i from 1 to n, for"),
    ("run -m majority -d {S} --shard 4/3", "--shard 4/3: write it as i/n with i from 1 to n, for"),
    (
        "run -m majority -d {S} --shard third",
        "--shard third: write it as i/n with i from 1 to n, for",
    ),
    ("run -m majority -d {S} --results afile", "Invalid value for '--results' (env var:"),
    (
        "run -m majority -d {S} --results afile/inside",
        "cannot write results to afile/inside: Not a directory;",
    ),
    ("run -m majority -d {S} --target y", "--target: only with --data FILE"),
    ("run -m majority -d {S} --labels clinic.csv", "--labels: only with --data FILE"),
    ("run -m majority -d {S} --transform log10", "unknown transform 'log10', use log2p1"),
    ("run -m majority -d {S} --impute mean", "unknown imputation 'mean', use median"),
    ("run -m majority -d {S} --registry nowhere.yaml", "nowhere.yaml: no such file"),
    (
        "run -m majority -d {S} --registry bad.yaml",
        "bad.yaml, line 2: not YAML, did not find expected node",
    ),
    (
        "run -m majority -d {S} --registry odd.yaml",
        "odd.yaml, line 3: unknown key 'titel' in data set 'mine',",
    ),
    ("run -m majority -d {S} --registry empty.yaml", "empty.yaml: is empty"),
    ("run -m majority -d {S} --data-dir afile", "Invalid value for '--data-dir': dir 'afile' is a"),
    ("run --config nowhere.yaml", "nowhere.yaml: no such file"),
    ("run --config conf1.yaml", "conf1.yaml, line 1: unknown flag 'modle' in the"),
    (
        "run --config conf2.yaml -m knn -d {S}",
        "conf2.yaml, line 1: folds 'two': Input should be a valid",
    ),
    ("run --config conf3.yaml", "conf3.yaml, line 1: the configuration must be a mapping,"),
    ("run --method nowhere.py:Mine -d {S}", "method nowhere.py:Mine: there is no such file"),
    (
        "run --method plain.py:Mine -d {S}",
        "method plain.py:Mine: Mine is not a classifier: it has no",
    ),
    (
        "run --method plain.py:Other -d {S}",
        "method plain.py:Other: the file has no class 'Other'; it",
    ),
    ("run --method plain.py -d {S}", "no method 'plain.py': write plain.py:ClassName for a"),
    ("run --method broken.py:X -d {S}", "method broken.py:X: importing it failed:"),
    ("run --method quits.py:X -d {S}", "method quits.py:X: importing it failed: SystemExit: 3"),
    (
        "run --method reg.py:Ridge -d {S}",
        "method reg.py:Ridge: Ridge is a regressor: a method must",
    ),
    ("run --method needs.py:Needs -d {S}", "method needs.py:Needs: Needs has arguments without"),
    ("run -m tabpfn -d {S}", "method tabpfn is unavailable: needs tabpfn: pip install"),
    ("run --modl knn", "No such option: --modl (Possible options:"),
    ("runn", "No such command 'runn'. Did you mean 'run'?"),
    ("status --results nowhere", "there is no folder nowhere: give the one of `run` with"),
    ("status --results arch", "arch is an archive, which does not say what was asked"),
    ("report --results nowhere", "results folder nowhere does not exist: start with"),
    ("report --results emptydir", "results folder emptydir holds no runs: start with"),
    ("report --results arch", "arch/runs.csv is not an archive of runs"),
    ("report --results good --metric accurcy", "unknown metric 'accurcy': choose one of"),
    (
        "report --results good --table mian",
        "unknown table 'mian': choose one of summary, verdict, main, full,",
    ),
    (
        "report --results good --format pdf",
        "unknown --format 'pdf': choose one of table, markdown,",
    ),
    (
        "report --results good --datasets lung",
        "no runs of any method on lung: there are runs of majority",
    ),
    ("report --results good --models knn", "no runs of knn: there are runs of majority on {S}"),
    ('report --results good --models ","', "--models ,: names nothing; leave it out for all"),
    (
        "report --results good --against knn --table statistics",
        "--against knn: not among the methods shown: majority",
    ),
    (
        "report --results good --against majority",
        "--against is for --table statistics, rank-intervals, against (or --format html)",
    ),
    ("report --results good --set x", "--set x: write it as name=value"),
    (
        "report --results good --table spn --metric auroc",
        "--metric auroc: --table spn has a measure and",
    ),
    (
        "report --results good --table spn",
        "no runs of the study spn: start them with `wpfs-bench run",
    ),
    (
        "report --results good --table statistics",
        "statistics need at least two methods with two common runs",
    ),
    (
        "report --results good --standalone",
        "--standalone makes a LaTeX document: add --format latex",
    ),
    ("report --results good --compare authors", "Invalid value for '--compare': Value error,"),
    ("report --results good --source web", "Invalid value for '--source': Value error, 'web'"),
    (
        "report --results good --source paper --table runtime",
        "--source paper has no table 'runtime': choose one of",
    ),
    ("report --results good --folds 3", "no run has --folds 3: there are runs with 5 folds"),
    ("report --results good --expect 0", "Invalid value for '--expect': Input should be"),
    (
        "report --results good --hyperparameters best",
        "Invalid value for '--hyperparameters': Value",
    ),
    ("report --results good --figures afile", "Invalid value for '--figures': dir 'afile' is a"),
    ("report --results good --archive afile", "Invalid value for '--archive': dir 'afile' is a"),
    ("results merge", "Missing argument 'folders'."),
    ("results merge nowhere --results good", "there is no folder nowhere"),
    ("results merge good --results good", "good cannot be merged into itself: choose another"),
    ("results merge emptydir --results good", "no runs in emptydir: nothing to merge"),
    (
        "results merge good --results arch",
        "arch is an archive: merge into another folder, then write",
    ),
    ("results export --results nowhere", "results folder nowhere does not exist: start with"),
    (
        "results export --results good --format xml",
        "Invalid value for '--format': Value error, 'xml'",
    ),
    ("models show nothing", "no method 'nothing': `wpfs-bench models` lists them"),
    ("models show wpfz", "no method 'wpfz': `wpfs-bench models` lists them"),
    ("models check plain.py", "no method 'plain.py': write plain.py:ClassName for a"),
    ("models check plain.py:Mine", "method plain.py:Mine: Mine is not a classifier: it has no"),
    ("models check nowhere.py:X", "method nowhere.py:X: there is no such file"),
    ("models check reg.py:Ridge", "method reg.py:Ridge: Ridge is a regressor: a method must"),
    ("datasets show nothing", "unknown data set 'nothing' (`wpfs-bench datasets` lists"),
    ("datasets show prostat", "unknown data set 'prostat', did you mean 'prostate'?"),
    ("download nothing", "no data set 'nothing': `wpfs-bench datasets` lists them"),
    ("download prostate --mirror nowhere", "mirror 'nowhere' is neither a folder nor an http(s)"),
    (
        "download --mirror afile prostate",
        "mirror 'afile' is neither a folder nor an http(s) address",
    ),
    ("fill nowhere.md", "cannot read nowhere.md: No such file or directory"),
    ("fill doc.md", "doc.md: there is no block to fill: begin one with <!--"),
    ("fill doc2.md", "doc2.md: the block that begins in line 1 does not end:"),
    ("fill doc3.md", "doc3.md: `wpfs-bench report --results nowhere`: results"),
    ("bench --suite nothing", "Invalid value for '--suite': Value error,"),
    ("bench --read nowhere.json", "--read nowhere.json: No such file or directory"),
    ("bench --features x", "--features 'x' is not a list of numbers such as 1000,6000"),
    ("inspect", "Missing argument 'file'."),
    ("inspect nowhere.csv", "nowhere.csv: no such file"),
    ("inspect afile --format npz", "afile: it holds Python objects"),
    ("inspect emptydir", "emptydir: cannot be read (Is a directory)"),
    ("inspect afile --labels nowhere.csv", "afile: the table has no rows"),
    ("inspect afile --match-ids trimmed", "--match-ids trimmed: only with --labels FILE"),
]

FILES = {
    "plain.py": "class Mine:\n    pass\n",
    "broken.py": "import nothing_of_the_kind\n",
    "quits.py": "import sys\nsys.exit(3)\n",
    "reg.py": "from sklearn.linear_model import Ridge\n",
    "needs.py": "from sklearn.base import BaseEstimator, ClassifierMixin\n"
    "class Needs(ClassifierMixin, BaseEstimator):\n"
    "    def __init__(self, a):\n        self.a = a\n"
    "    def fit(self, X, y):\n        return self\n"
    "    def predict(self, X):\n        return X\n",
    "bad.yaml": "datasets: [",
    "odd.yaml": "datasets:\n  mine:\n    titel: x\n",
    "empty.yaml": "",
    "conf1.yaml": "modle: knn\n",
    "conf2.yaml": "folds: two\n",
    "conf3.yaml": "- a\n",
    "doc.md": "no block\n",
    "doc2.md": "<!-- wpfs-bench report -->\n",
    "doc3.md": "<!-- wpfs-bench report --results nowhere -->\nx\n<!-- end -->\n",
    "afile": "x",
    "arch/runs.csv": "a,b\n1,2\n",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    """A folder with files that are not what they should be, and five good runs."""
    from benchmark.datasets.loading import DataSource
    from benchmark.plan.jobs import RunRequest, make_jobs
    from benchmark.results.store import Store
    from benchmark.run.execute import execute_job

    folder = tmp_path_factory.mktemp("bad")
    (folder / "emptydir").mkdir()
    for name, content in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(content)
    store = Store(folder / "good")
    store.prepare()
    for job in make_jobs(RunRequest(["majority"], [DataSource(SMALL)], repeats=1)):
        outcome = execute_job(job)
        store.write(job.key, outcome.record, outcome.arrays)
    return folder


@pytest.mark.parametrize(("command", "fragment"), BAD, ids=[command for command, _ in BAD])
def test_a_mistake_is_one_line(cli, place, monkeypatch, command, fragment):
    monkeypatch.chdir(place)
    monkeypatch.setenv("WPFS_BENCH_DATA", str(place / "data"))
    monkeypatch.delenv("WPFS_BENCH_MIRROR", raising=False)
    before = sorted(place.rglob("*"))
    answer = cli(*shlex.split(command.replace("{S}", SMALL)))
    assert answer.code == 2, answer.out + answer.err
    told = " ".join(answer.err.replace(f"{place}/", "").replace("│", " ").split())
    assert fragment.replace("{S}", SMALL) in told
    assert "Traceback" not in told
    assert sorted(place.rglob("*")) == before
