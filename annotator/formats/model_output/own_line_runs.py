"""The run that a line of our own model output is of."""

from annotator.domain.models import Run, canonical_parameters
from annotator.errors import InvalidValue
from annotator.formats.model_output.output_rows import OutputFile
from annotator.formats.model_output.own_line_fields import OutputRow
from annotator.formats.rows.findings import Findings
from annotator.language import _


def run_of(row: OutputRow, file: OutputFile, findings: Findings, *, needs_method: bool) -> Run | None:
    """The run of a row, or None with a finding; the seed may stand among the parameters."""
    parameters = dict(row.params)
    among = parameters.pop("seed", None)
    if among is not None and (not isinstance(among, int) or isinstance(among, bool)):
        findings.refuse("params.seed", among, _("A seed is a whole number."))
        return None
    if row.seed is not None and among is not None and among != row.seed:
        findings.refuse("seed", row.seed, _("params names another seed, {among}; keep one of the two.", among=among))
    seed = row.seed if row.seed is not None else among if among is not None else file.options.seed
    method = row.method or file.options.method
    if needs_method and not method:
        findings.refuse(
            "method", "", _("A row with scores or a rationale needs its method; write it, or name it (--method).")
        )
    try:
        model = row.model or file.options.model
        return Run(model, method, canonical_parameters(parameters), seed, row.unit, row.signed)
    except InvalidValue as error:
        findings.refuse(
            "model", row.model or "", _("{error} Write it into the row, or name it (--model).", error=error)
        )
        return None
