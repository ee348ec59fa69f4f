"""`python -m tests.fuzz`: attacks mcm for some time. The exit code is 1 if something was found."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from math import inf
from pathlib import Path

# The packages of the tests are named as pytest names them.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz.batches import disturb_all
from fuzz.campaign import Campaign
from fuzz.engines import COMPARED
from fuzz.targets import TARGETS


def main() -> int:
    """Attack, and write each finding as a file."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Attack mcm with mutated inputs.")
    parser.add_argument("--minutes", type=float, help="for how long  [default: 1; with --batches: till they are done]")
    parser.add_argument("--seed", default=f"{datetime.now(UTC):%Y-%m-%d}", help="[default: the day]")
    parser.add_argument("--target", action="append", choices=list(TARGETS), help="[default: all, in turn]")
    parser.add_argument("--number", type=int, help="only the input of this number, of the one target that is named")
    parser.add_argument("--findings", type=Path, default=Path("fuzz-findings"), help="folder for what is found")
    parser.add_argument("--batches", type=int, help="instead: disturb so many commands while they work")
    chosen = parser.parse_args()
    if chosen.batches is not None:
        return disturb(chosen.batches, chosen.seed, (chosen.minutes or inf) * 60)
    campaign = Campaign(chosen.seed)
    targets = chosen.target or list(TARGETS)
    print(f"seed {chosen.seed}", flush=True)
    if chosen.number is None:
        campaign.go_on(targets, (chosen.minutes or 1) * 60)
    else:
        campaign.attempt(targets[0], chosen.number)
    for name, count in (*campaign.inputs.items(), *COMPARED.items()):
        print(f"  {count} {name}")
    for finding in campaign.findings.values():
        chosen.findings.mkdir(parents=True, exist_ok=True)
        suffix = TARGETS[finding.target].suffix
        path = chosen.findings / f"{finding.target}-{finding.seed}-{finding.number}{suffix}"
        path.write_bytes(finding.text.encode("utf-8", "surrogatepass"))
        again = f"python -m tests.fuzz --seed {finding.seed} --target {finding.target} --number {finding.number}"
        print(f"\n{finding.complaint.kind}: {path} ({again})\n{finding.text!a}\n{finding.complaint.detail}")
    return 1 if campaign.findings else 0


def disturb(count: int, seed: str, seconds: float) -> int:
    """Disturb commands, and print how they ended."""
    ends, found = disturb_all(count, seed, seconds)
    for (name, code), times in sorted(ends.items()):
        print(f"  {times} times {name}: exit code {code}")
    print("\n".join([f"{ends.total() + len(found)} commands with seed {seed}, {len(found)} of them wrong", *found]))
    return 1 if found else 0


sys.exit(main())
