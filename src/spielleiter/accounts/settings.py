"""What organisers decide about an arena's accounts: who may register, and the operator's pages."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Literal, get_args

from sqlalchemy import delete, insert, select

from spielleiter.accounts import schema
from spielleiter.accounts.database import AccountsDatabase
from spielleiter.errors import UsageError

Registration = Literal["open", "code", "closed"]
PAGES = ("privacy", "imprint")
"""Texts that the operator writes."""
LONGEST_PAGE = 20_000
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters that are not confused when read from a blackboard."""
_SETTING = schema.setting.c


@dataclass(frozen=True, slots=True)
class RegistrationRule:
    """Who may register, and the class code if one is needed."""

    rule: Registration
    code: str


class AccountSettings:
    """Settings by name, with defaults."""

    def __init__(self, database: AccountsDatabase) -> None:
        self._database = database

    def registration(self) -> RegistrationRule:
        """Who may register: everybody, unless an organiser has decided otherwise."""
        rule: Registration = "open"
        for each in get_args(Registration):
            rule = each if self._get("registration") == each else rule
        return RegistrationRule(rule, self._get("class code"))

    def set_registration(self, rule: Registration) -> RegistrationRule:
        """Decide who may register; a class code is made anew each time."""
        self._set("registration", rule)
        self._set("class code", new_code() if rule == "code" else "")
        return self.registration()

    def admits(self, code: str) -> bool:
        """Whether somebody with that class code may register."""
        found = self.registration()
        if found.rule != "code":
            return found.rule == "open"
        return secrets.compare_digest(code.strip().lower().encode(), found.code.encode())

    def page(self, name: str) -> str:
        """A text that the operator has written; empty before."""
        return self._get(f"page {name}")

    def set_page(self, name: str, text: str) -> None:
        """Write a text that everybody can read."""
        if name not in PAGES or len(text) > LONGEST_PAGE:
            raise UsageError(f"the pages are {', '.join(PAGES)}, {LONGEST_PAGE} characters at most")
        self._set(f"page {name}", text)

    def _get(self, name: str) -> str:
        found = self._database.row(select(_SETTING.value).where(_SETTING.name == name))
        return "" if found is None else str(found[0])

    def _set(self, name: str, value: str) -> None:
        with self._database.writing() as writing:
            writing.execute(delete(schema.setting).where(_SETTING.name == name))
            writing.execute(insert(schema.setting).values(name=name, value=value))


def new_code() -> str:
    """A class code: eight letters in two groups."""
    drawn = "".join(secrets.choice(_LETTERS) for _ in range(8))
    return f"{drawn[:4]}-{drawn[4:]}"
