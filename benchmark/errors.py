"""The one exception that speaks to users."""


class UserError(Exception):
    """A mistake only the user can mend.

    The message is one line: what is wrong, where, and what to do. The command line prints it
    without a traceback and exits with code 2.
    """
