/**
 * Fleet flexibility: spreads a change of power over a fleet, and sums up its flexibility. Pure functions, exported from
 * the package as `elnav/flex`.
 */
export { answer, type Question } from './answer.ts';
export { dispatch, flexibility } from './flexibility.ts';
export { createFlexPool, type FlexPool } from './pool.ts';
export {
  DispatchBody,
  Dispatched,
  DispatchRequest,
  FleetMember,
  type Flexibility,
  FlexibilityAnswer,
  FlexibilityBody,
  MEMBER_LIMIT,
  Period,
  Setpoint,
  Skipped,
} from './schemas.ts';
