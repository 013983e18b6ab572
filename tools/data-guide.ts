/** The text of docs/data.md after the figures. */
export const guide = `## Energy tax

\`tax_rates\` holds öre per kWh without VAT (25 % comes on top), \`reduced_tax\` the municipalities whose households and services pay less:
all of Norrbotten, Västerbotten and Jämtland, and nine more. It follows the municipality, never the price area.

Reliability of the rates: the normal rates of 2024, 2025 and 2026 and the reduced one of 2026 were found in several independent texts that
cite Skatteverket. The reduced rates before 2026 are computed, as the normal rate less 9.6 öre. The normal rate of 2022 was found in one
text, that of 2023 on only one page, which is wrong in other respects. The rates of 2027 were not decided when this was compiled. The list of
municipalities is assumed to apply since 2022. Manufacturing and agriculture pay another rate, which is not included.

## Refreshing the tables

\`npm run import -- --help\` lists commands and options. Each reads the original at its own address, or a file given with \`--from\`:

| Command | Original | Formats |
| --- | --- | --- |
| \`postal-codes\` | GeoNames; swedish-geodata | zip or text of the export, CSV of a mirror; CSV |
| \`municipalities\` | SCB | metadata of the population table (JSON), CSV |
| \`municipality-shapes\` | SCB, digitala gränser | zip with a shapefile in SWEREF 99 TM, GeoJSON in WGS84 |
| \`grid-areas\` | eSett EXP03 and EXP01 | JSON, CSV export |
| \`zones\` | entsoe-py | GeoJSON |
| \`concessions\` | Ei | zip with a shapefile in SWEREF 99 TM, GeoJSON in WGS84 |
| \`tax\` | files of your own | CSV: \`valid_from,normal,reduced\`; \`municipality,valid_from,valid_until\` |
| \`all\` | all but tax | |

\`\`\`bash
npm run import -- grid-areas --dry-run
npm run import -- postal-codes --from SE.zip --municipalities postal_to_municipality.csv
npm run import -- tax --from rates.csv --reduced municipalities.csv --as-of 2027-01-01
\`\`\`

Tables are written to the folder \`seed\` in \`ELNAV_DATA_DIR\`, where they override the bundled ones. An import reads everything
and validates it together with the other tables; then all files take effect at once, and a killed process leaves either the old tables or
the new. A file that is empty, truncated, a web page, or malformed changes nothing, and the error names file and line. A
table that would lose more than a fifth of its rows is refused without \`--accept-losses\`. Price areas of postal codes are computed again whenever
shapes, grid areas, municipalities or postal codes change. Services read the tables when they start.

The addresses of the originals, and the format of SCB's response, are from their documentation; if one has moved, give another with
\`--from\`. The links to Ei's and SCB's files are searched on their pages, since they change with each edition.

Ei's concessions are not bundled: they are public, but without a stated licence for redistribution. Once imported, they give grid owners
by coordinate.

## The format

Tab-separated text, sorted, in UTF-8. The first line names the table and the version of its format, the next ones the sources with licence
and day, then the columns, the rows, and \`#end\` with their number. Shapes have one line per ring: alternating longitudes and latitudes, in
hundred-thousandths of a degree, each as the difference to the previous one. \`figures.tsv\` has figures that were counted from the
originals during an import.
`;
