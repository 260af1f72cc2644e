-- The value of a quantity in a run, or the middle of its bracket, and the error that its interval says. Of runs that
-- finished: of each card the newest is number 1; those from the future count as the oldest. A quotient says what its two
-- quantities say, and neither side of it is better.
SELECT provenance, device, arch, card, quantity, unit, method, better, shared, number,
       ln(coalesce(value, sqrt(low * high))) AS log,
       CASE WHEN low > 0 AND high > low
            THEN ln(high / low) / 2 / if(form = 'bracket', 1, {half_widths}) END AS error
FROM quantities JOIN (
    SELECT archive, row_number() OVER (
        PARTITION BY provenance, device, arch, card ORDER BY future, started_utc DESC, archive) AS number
    FROM archives WHERE complete
) USING (archive)
WHERE determined AND estimator NOT IN ('reported', 'quotient') AND coalesce(value, sqrt(low * high)) > 0
      AND isfinite(coalesce(value, sqrt(low * high))) AND number <= 1 + {earlier}
