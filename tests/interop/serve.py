"""`transformers serve` where torchvision was built for another torch: its compiled operators are left out.

python serve.py serve NETWORK --port 8000
"""

from tolman.models.hf_video import import_torchvision


def run() -> None:
    """Read the command line as transformers does."""
    import_torchvision()
    from transformers.cli.transformers import main

    main()


if __name__ == "__main__":
    run()
