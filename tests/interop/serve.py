"""`transformers serve`, decoding by Pillow and PyAV: `python serve.py serve NETWORK --port 8000`."""

from decoding import by_pillow_and_pyav


def run() -> None:
    """Read the command line as transformers does."""
    by_pillow_and_pyav()
    from transformers.cli.serving import model_manager, utils
    from transformers.cli.transformers import main

    # transformers 5.6 to 5.24 count every network that sees among those that may hear, and read the sound of each video:
    # of a list of frames there is none, and of a file it takes a decoder of CUDA's torch.
    model_manager.ModelManager.get_model_modality = lambda *arguments, **rest: utils.Modality.VLM
    main()


if __name__ == "__main__":
    run()
