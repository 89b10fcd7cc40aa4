"""`transformers serve`, decoding by Pillow and PyAV: `python serve.py serve NETWORK --port 8000`."""

from decoding import by_pillow_and_pyav


def run() -> None:
    """Read the command line as transformers does."""
    by_pillow_and_pyav()
    from transformers.cli.serving import model_manager, utils
    from transformers.cli.transformers import main

    # Of a network that may hear, the server reads the sound of every video, for which it needs a decoder of CUDA's torch.
    model_manager.ModelManager.get_model_modality = lambda *arguments, **rest: utils.Modality.VLM
    main()


if __name__ == "__main__":
    run()
