"""Quartiles of working time and the curve of practice, against values that were computed by hand."""

import numpy as np

from annotator.review.progress import CurvePoint, Quartiles, learning_curve, quartiles


def test_of_no_values_there_is_no_quartile_and_of_one_all_are_it() -> None:
    assert quartiles(np.array([])) == Quartiles(0)
    assert quartiles(np.array([4.0])) == Quartiles(1, 4.0, 4.0, 4.0)


def test_the_median_is_not_moved_by_one_who_left_the_text_open() -> None:
    assert quartiles(np.array([20.0, 22.0, 24.0, 26.0, 9000.0])).median == 24.0


def test_a_point_of_the_curve_is_of_everybodys_submissions_in_one_stretch() -> None:
    # Ada submits twelve texts, Ben two; Ada's seconds per token fall from 2 to 1 after her tenth.
    positions = np.array([*range(1, 13), 1, 2])
    people = np.array([0] * 12 + [1] * 2)
    seconds = np.array([2.0] * 10 + [1.0] * 2 + [4.0, 4.0])
    assert learning_curve(positions, people, seconds) == (
        CurvePoint(1, 10, 2, Quartiles(12, 2.0, 2.0, 2.0)),
        CurvePoint(11, 12, 1, Quartiles(2, 1.0, 1.0, 1.0)),
    )


def test_stretches_in_which_nobodys_time_is_known_are_left_out() -> None:
    [point] = learning_curve(np.array([15]), np.array([0]), np.array([1.5]))
    assert (point.first, point.last) == (11, 15)
