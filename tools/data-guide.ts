/** What docs/data.md says besides figures. */
export const guide = `## Energy tax

\`tax_rates\` holds öre per kWh without VAT (25 % comes on top), \`reduced_tax\` the municipalities whose households and services pay less:
all of Norrbotten, Västerbotten and Jämtland, and nine more. It follows the municipality, never the price area.

How sure the rates are: the normal rates of 2024, 2025 and 2026 and the reduced one of 2026 were found in several independent texts that
cite Skatteverket. The reduced rates before 2026 are computed, as the normal rate less 9.6 öre. The normal rate of 2022 was found in one
text, that of 2023 on one page alone, which is wrong in other things. The rates of 2027 were not known when this was compiled. The list of
municipalities is taken to hold since 2022. Manufacturing and agriculture pay another rate, which is not here.

## Refreshing the tables

\`npm run import -- --help\` lists commands and options. Each reads the original at its own address, or a file given with \`--from\`:

| Command | Original | Formats |
| --- | --- | --- |
| \`postal-codes\` | GeoNames; swedish-geodata | zip or text of the export, CSV of a mirror; CSV |
| \`municipalities\` | SCB | description of the population table (JSON), CSV |
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

Tables go to the folder \`seed\` in \`ELNAV_DATA_DIR\`, and each that is there goes before the bundled one. An import reads everything whole
and judges it together with the other tables; then all files count at once, and a process that is killed leaves either the old tables or
the new. A file that is empty, cut short, a web page, or not what its format says changes nothing, and the fault names file and line. A
table that would lose more than a fifth of its rows is refused without \`--accept-losses\`. Price areas of postal codes are told anew whenever
shapes, grid areas, municipalities or postal codes change. Services read the tables when they start.

The addresses of the originals, and the layout of SCB's answer, are written from their documentation; where one has moved, \`--from\` takes
another. The links of Ei and of SCB's borders are looked for on their pages, since they change with each edition.

Ei's concessions are not bundled: they are public, but no licence for passing them on is known. Once imported, they tell grid owners by
coordinate.

## The format

Tab-separated text, sorted, in UTF-8. The first line names the table and the version of its format, the next ones the sources with licence
and day, then the columns, the rows, and \`#end\` with their number. Shapes have a line for each ring: longitude and latitude by turns, in
hundred-thousandths of a degree, each as what it adds to the one before. \`figures.tsv\` holds what was counted when the originals were at
hand.
`;
