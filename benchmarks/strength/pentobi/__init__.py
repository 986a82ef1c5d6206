"""Pentobi as an opponent: Debian's program, thinking without its window.

Pentobi has no text protocol in Debian's package. Its window is a page of QML, and its rules and its
search are objects that such a page uses. `load_page.cc` makes it load `player.qml` instead of its
own page, which shows nothing, asks us over HTTP for games, and answers with its moves. Nothing in
its search is changed.
"""
