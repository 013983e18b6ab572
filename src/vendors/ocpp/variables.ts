/** A 2.0.1 station's response about one variable (part 2, GetVariableResultType). */
export interface VariableResult {
  readonly attributeStatus: string;
  readonly attributeValue?: string;
  readonly component: { readonly name: string; readonly evse?: { readonly id: number } };
  readonly variable: { readonly name: string };
}

export interface VariableResults {
  readonly getVariableResult: readonly VariableResult[];
}

/** Names a variable in a request. */
export const variableOf = (component: string, variable: string) => ({
  component: { name: component },
  variable: { name: variable },
});

/** The key of a variable: `Component.Variable`. */
export const nameOf = ({ component, variable }: Pick<VariableResult, 'component' | 'variable'>): string =>
  `${component.name}.${variable.name}`;

/** The variables that are read here: charging limits and metering (part 2, appendix 3). */
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
