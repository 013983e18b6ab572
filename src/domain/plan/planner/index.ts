export { BINDINGS, type Binding } from './explain.ts';
export { type Plan, type PlanSlot, plan, planInSteps, planJson } from './plan.ts';
export {
  type ChargeTask,
  type DeviceProfile,
  MOST_CAPACITY_WH,
  MOST_MINUTES,
  MOST_SLOTS,
  MOST_WATTS,
  type PlanRequest,
  type PricedSlot,
} from './request.ts';
export { PlanRequestSchema, PlanSchema } from './schemas.ts';
