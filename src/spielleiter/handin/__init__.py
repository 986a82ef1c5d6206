"""From the first line of a bot to a ZIP that the contest can start: make, pack, look through, try.

`project` makes and reads a bot's folder, `package` builds the ZIP, `pitfalls` looks for what goes
wrong with ZIPs, `trial` lets the bot play under the conditions of the contest.
"""
