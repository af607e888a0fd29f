"use strict";
// Sort a table by the column whose heading is pressed; empty cells stay last either way.
function sortKey(row, column) {
  const cell = row.cells[column];
  const text = "value" in cell.dataset ? cell.dataset.value : cell.textContent.trim();
  if (text === "") return null;
  const number = Number(text);
  return Number.isNaN(number) ? text.toLowerCase() : number;
}
function compareKeys(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
  return typeof a === "number" ? -1 : 1;
}
function sortBy(heading) {
  const table = heading.closest("table");
  const column = heading.cellIndex;
  const downwards = heading.getAttribute("aria-sort") === "ascending";
  const body = table.tBodies[0];
  const rows = Array.from(body.rows).map((row) => ({ row, key: sortKey(row, column) }));
  const empty = rows.filter((item) => item.key === null);
  const filled = rows.filter((item) => item.key !== null);
  filled.sort((a, b) => compareKeys(a.key, b.key) * (downwards ? -1 : 1));
  body.append(...filled.concat(empty).map((item) => item.row));
  for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", downwards ? "descending" : "ascending");
  document.getElementById("sorted").textContent =
    `${document.getElementById(table.getAttribute("aria-labelledby")).textContent}: sorted by ${heading.textContent.trim()}, ` +
    (downwards ? "descending" : "ascending");
}
for (const button of document.querySelectorAll("thead button")) {
  button.addEventListener("click", () => sortBy(button.closest("th")));
}
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
