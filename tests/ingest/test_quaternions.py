import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tolman.ingest.readers import rigid, rotations


def test_rotations_are_those_of_scipy() -> None:
    turns = Rotation.random(20, random_state=0)
    x, y, z, w = turns.as_quat().T
    np.testing.assert_allclose(rotations(w, x, y, z), turns.as_matrix(), atol=1e-12)
    # Few digits make no other rotation, nor one that is stretched.
    found = rotations(*(np.round(part, 4) for part in (w, x, y, z)))
    np.testing.assert_allclose(found @ found.transpose(0, 2, 1), np.broadcast_to(np.eye(3), (20, 3, 3)), atol=1e-12)
    matrix = rigid(turns.as_matrix(), np.arange(60.0).reshape(20, 3))
    np.testing.assert_allclose(matrix[3] @ [0, 0, 0, 1], [9, 10, 11, 1])


@pytest.mark.parametrize("bad", [0.0, 2.0, float("nan"), float("inf")])
def test_what_is_no_rotation_is_refused(bad: float) -> None:
    zero = np.zeros(3)
    with pytest.raises(ValueError, match="a quaternion has the length"):
        rotations(np.array([1.0, bad, 1.0]), zero, zero, zero)
