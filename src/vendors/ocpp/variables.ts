/** What a 2.0.1 station answers of one variable (part 2, GetVariableResultType). */
export interface VariableResult {
  readonly attributeStatus: string;
  readonly attributeValue?: string;
  readonly component: { readonly name: string; readonly evse?: { readonly id: number } };
  readonly variable: { readonly name: string };
}

export interface VariableResults {
  readonly getVariableResult: readonly VariableResult[];
}

/** Names one variable as a 2.0.1 station is asked for it. */
export const variableOf = (component: string, variable: string) => ({
  component: { name: component },
  variable: { name: variable },
});

/** `Component.Variable`, as it is shown. */
export const nameOf = ({ component, variable }: Pick<VariableResult, 'component' | 'variable'>): string =>
  `${component.name}.${variable.name}`;

/** The variables that are read here: how the station is charged by, and what it measures (part 2, appendix 3). */
export const USED = [
  variableOf('SmartChargingCtrlr', 'Enabled'),
  variableOf('SmartChargingCtrlr', 'RateUnit'),
  variableOf('SmartChargingCtrlr', 'PeriodsPerSchedule'),
  variableOf('SmartChargingCtrlr', 'ProfileStackLevel'),
  variableOf('SampledDataCtrlr', 'TxUpdatedInterval'),
  variableOf('SampledDataCtrlr', 'TxUpdatedMeasurands'),
  variableOf('SampledDataCtrlr', 'TxStartedMeasurands'),
  variableOf('SampledDataCtrlr', 'TxEndedMeasurands'),
  variableOf('AlignedDataCtrlr', 'Measurands'),
  variableOf('AlignedDataCtrlr', 'TxEndedMeasurands'),
  variableOf('ChargingStation', 'SupplyPhases'),
];
