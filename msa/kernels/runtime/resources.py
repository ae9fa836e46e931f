"""Prints what every compiled kernel uses: `bazel run //msa/kernels:report`."""

import json
import pathlib

# Of all rooms.
_FOLDER = pathlib.Path(__file__).parents[1]
_ROW = "{:<24} {:<8} {:<21} {:>9} {:>12} {:>11} {:>12} {:>12}  {}"


def load_reports() -> list[dict]:
    """The reports of all kernels that were built, by kernel and architecture."""
    return [json.loads(path.read_text()) for path in sorted(_FOLDER.glob("*/*.json"))]


def main() -> None:
    """Prints the table, a line for each device function."""
    print(
        _ROW.format(
            "kernel",
            "arch",
            "function",
            "registers",
            "shared bytes",
            "spill bytes",
            "TMEM columns",
            "instructions",
            "of which",
        )
    )
    for report in load_reports():
        for function, use in report["functions"].items():
            families = dict(use["instructions"])
            total = families.pop("all")
            print(
                _ROW.format(
                    report["kernel"],
                    report["arch"],
                    function.removeprefix("msa_"),
                    use["registers"],
                    use["shared_bytes"] + report["launch_shared_bytes"],
                    use["spill_bytes"],
                    use["tmem_columns"],
                    total,
                    ", ".join(f"{count} {family}" for family, count in families.items()) or "-",
                )
            )
        for advisory in report["advisories"]:
            print(f"{report['kernel']} {report['arch']}: ptxas {advisory}")


if __name__ == "__main__":
    main()
