/**
 * Municipalities of the provinces and districts that grid areas are named after: four digits, or two for a whole county.
 * Provinces have no legal borders today, so a match is only a hint; when one spans several price areas, the price area
 * decides. Keys are folded names.
 */
export const PROVINCES: Readonly<Record<string, readonly string[]>> = {
  adalen: ['2282', '2283'],
  bergslagen: ['1962', '1982', '2083', '2084'],
  bjare: ['1278', '1292'],
  bohuslan: ['1435', '1486', '1430', '1427', '1484', '1485', '1421', '1419', '1415', '1482', '1407'],
  brittedal: ['1273', '1293'],
  dalsland: ['1438', '1439', '1460', '1461', '1492'],
  drefviken: ['0136'],
  fal: ['1499'],
  gota: ['1487', '1462', '1488'],
  gotaland: ['05'],
  halsingland: ['2161', '2121', '2132', '2182', '2183', '2184'],
  harjean: ['2361'],
  huvudsta: ['0184'],
  kind: ['1452', '1491'],
  kinnekulle: ['1471'],
  lulealven: ['2510', '2582'],
  malmfalten: ['2584', '2523'],
  medelpad: ['2281', '2262', '2260'],
  nerike: ['18'],
  'nordvastra skane': ['1276', '1277', '1284', '1292', '1278', '1283', '1282'],
  oland: ['0885', '0840'],
  osterlen: ['1291', '1272'],
  ringsjo: ['1267', '1266', '1285'],
  roslags: ['0187', '0188', '0382', '0117'],
  sjuharad: ['1490', '1489', '1491', '1465', '1463', '1466', '1452', '1443'],
  smaland: ['06', '07', '08'],
  sydmalaren: ['04', '0181'],
  tornedalen: ['2583', '2518', '2521'],
  umealven: ['2480', '2460', '2403', '2401', '2421', '2422'],
  uppland: ['03', '0188', '0191', '0114', '0115', '0117', '0120', '0139', '0140', '0123', '0125'],
  valle: ['1495', '1496'],
  vasterbergslagen: ['2061', '2085', '1982'],
};
