"""lmms-eval beside a torch that was built without CUDA, of which the torchvision on PyPI knows nothing.

python lmms.py ARGUMENTS
"""

from __future__ import annotations

import runpy

from tolman.models.hf_inputs import import_torchvision

if __name__ == "__main__":
    import_torchvision()
    runpy.run_module("lmms_eval", run_name="__main__")
