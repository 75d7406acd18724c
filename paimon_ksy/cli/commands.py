"""Commands: functions whose parameters are options, in modules that are imported on use.

This module imports next to nothing, so that `paimon-ksy --help` is fast. The help of a command is
fast, too: what imports NumPy, Arrow, sqlglot or pypaimon, its module imports only in functions, and
under TYPE_CHECKING for annotations. The docs of JSON resolve these in the types of answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import cached_property
from importlib import import_module
from inspect import Parameter, Signature, isclass, signature
from typing import Any, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from paimon_ksy.cli.failures import EXIT_CODES, failures
from paimon_ksy.cli.options import SETTINGS, Everywhere, TimeZone
from paimon_ksy.errors import ExitCode

HELP: Any = {"help_option_names": ["-h", "--help"]}
_PREDICATES = {"where", "partitions", "predicates"}
_Function = TypeVar("_Function", bound=Callable[..., None])


def cli_command(
    *examples: str,
    answer: Any = None,
    others: Mapping[str, Any] | None = None,
    failing: ExitCode | None = None,
) -> Callable[[_Function], _Function]:
    """Return the decorator of the function of a command.

    Its parameters are the options, and its docstring is the help. If the type of a parameter is a
    dataclass, each field of that is an option.

    Args:
        examples: Calls without `paimon-ksy`; those that only read come first.
        answer: The type of its JSON, or MODULE:NAME if --help should not import it; an iterator, if
            the JSON is a stream of lines.
        others: The types of other answers, by the name of the option that changes the answer.
        failing: The exit code of any error; by default that of the error.
    """

    def decorator(function: _Function) -> _Function:
        answers = ({} if answer is None else {"": answer}) | dict(others or {})
        vars(function).update(examples=examples, answers=answers, failing=failing)
        return function

    return decorator


class Command(TyperCommand):
    """A command, whose module is imported when it is run or its help is shown, not when listed."""

    def __init__(self, name: str, place: str, short_help: str) -> None:
        """Create the command of a MODULE in `cli` with a function `run`, or of MODULE:FUNCTION."""
        super().__init__(name, short_help=short_help, rich_markup_mode=None)
        self._place = place

    def make_context(self, *args: Any, **options: Any) -> Any:
        """Parse the options, when the module is loaded."""
        if self.callback is None:
            with failures():
                self.load()
        return super().make_context(*args, **options)

    @cached_property
    def function(self) -> Any:
        """The function, whose module is imported."""
        module, _, name = self._place.partition(":")
        return getattr(import_module(f"paimon_ksy.cli.{module}"), name or "run")

    def load(self) -> None:
        """Import the module, for the help and the options."""
        function = self.function
        app = typer.Typer(add_completion=False)
        # \b keeps typer from wrapping the lines.
        epilog = ["\b", "Examples:", *(f"  paimon-ksy {call}" for call in function.examples)]
        app.command(epilog="\n".join(epilog))(_with_options(function))
        loaded: Any = typer.main.get_command(app)
        self.params, self.callback = loaded.params, loaded.callback
        self.help, self.epilog = loaded.help, loaded.epilog

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options."""
        return _plain_options(self, super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options."""
        return _plain_options(self, super().get_params(ctx))


def _plain_options(command: Any, options: list[Any]) -> list[Any]:
    """Have options convert words without typer, which imports pydantic: 90 ms of 260.

    Typer converts the others, such as pairs, and explains what cannot be converted.
    """
    hints = get_type_hints(command.callback or Group, include_extras=True)
    for option in options:
        if "process_value" not in vars(option):
            option.process_value = _plainly(option, _single(hints.get(option.name, str)))
    return options


def _plainly(option: Any, kind: Any) -> Callable[[Any, Any], Any]:
    of_typer = option.process_value

    def process_value(context: Any, value: Any) -> Any:
        try:
            if option.multiple or option.nargs == -1:
                plain = [kind(word) for word in value or ()]
            else:
                plain = kind(value) if isinstance(value, str) else value
        except ValueError:
            return of_typer(context, value)
        is_missing = option.required and plain in (None, [])
        if is_missing or option.nargs > 1 or (isinstance(plain, int) and plain < 0):
            return of_typer(context, value)
        return option.callback(context, option, plain) if option.callback else plain

    return process_value


def _single(kind: Any) -> Any:
    """Return the type of one value: T of `Annotated[list[T] | None, ..]`."""
    inner = get_args(kind)
    return _single(inner[0]) if inner else kind


def group(name: str, help_: str, commands: Mapping[str, tuple[str, str]]) -> Group:
    """Return a group of commands: the place and the short help of each."""
    return Group(
        name=name,
        help=help_,
        epilog=EXIT_CODES,
        commands=[Command(each, *listed) for each, listed in commands.items()],
        rich_markup_mode=None,
        context_settings=HELP,
    )


def _with_options(function: Any) -> Callable[..., None]:
    """Return a function for typer: with all options, which runs this one."""

    def run(**values: Any) -> None:
        everywhere = Everywhere(**_arguments(Everywhere, values))
        SETTINGS.set(SETTINGS.get().adding(everywhere, values.get("time_zone")))
        with failures(function.failing):
            function(**_arguments(function, values))

    options = list(_parameters(function))
    if not _PREDICATES.isdisjoint(option.name for option in options):
        time_zone = Parameter("time_zone", Parameter.KEYWORD_ONLY, default=None)
        options.append(time_zone.replace(annotation=TimeZone))
    options += _parameters(Everywhere)
    run.__doc__ = function.__doc__
    run.__annotations__ = {option.name: option.annotation for option in options}
    vars(run)["__signature__"] = Signature(options)
    return run


def _types(of: Any) -> dict[str, Any]:
    """Return the types of the parameters of a function or dataclass."""
    hints = get_type_hints(of, include_extras=True)
    return {name: hints[name] for name in signature(of).parameters}


def _parameters(of: Any) -> Iterator[Parameter]:
    """Yield an option for each parameter; for a dataclass, those of its fields."""
    defaults = signature(of).parameters
    for name, kind in _types(of).items():
        if _is_group(kind):
            yield from _parameters(kind)
        else:
            yield defaults[name].replace(annotation=kind, kind=Parameter.KEYWORD_ONLY)


def _is_group(kind: Any) -> bool:
    return isclass(kind) and is_dataclass(kind)


def _arguments(of: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function or dataclass, from the values of options."""
    return {
        name: kind(**_arguments(kind, values)) if _is_group(kind) else values[name]
        for name, kind in _types(of).items()
    }
