/**
 * What goes with a machine to a new owner. A test compares the lists with the catalogue: a table
 * with device_id and org_id stands in one of them. Rows of a table that moves, and which of them:
 * the present; what has ended stays with the owner of its time.
 */
export const moves: Readonly<Record<string, string>> = {
  lane_floors: 'archived_at is null',
  lanes: 'archived_at is null',
  lane_layers: 'true',
  device_faults: 'closed_at is null',
  stock_warnings: 'closed_at is null',
  sell_out_forecasts: 'true',
}

/**
 * What the machine itself writes all the time moves last, so that its messages wait shortly; in the
 * order of locks.
 */
export const movesLast = ['device_states', 'device_shadows'] as const

/** Keep the owner of their time. */
export const stays: readonly string[] = [
  'activation_codes', // open ones are revoked
  'ad_binding_devices', // end: the database drops them
  'alert_members',
  'alerts', // open ones end; the new owner's begin anew with the next sweep
  'buyer_days', // of whole organisations
  'buyers',
  'bill_days', // by whose sales they were
  'bill_shares',
  'complaints',
  'device_assignments', // those who may serve the new owner go on, the others end
  'device_commands',
  'device_configs', // the version in force is written anew for the new owner
  'device_events',
  'device_message_keys',
  'device_messages',
  'device_moves',
  'device_owner_history',
  'dispensing_mode_changes', // one that waits is refused: the new owner asks himself
  'drug_guard_refusals',
  'split_orders', // whose sale it was
  'split_debts',
  'split_requests', // what its channel was asked
  'split_returns',
  'split_bindings', // end when the machine goes
  'referrer_devices', // end, unless the new owner is of whom the referrer introduced
  'device_tag_links', // end: the database drops them
  'expiry_items', // the new owner's people are told anew
  'invoice_items',
  'lane_copies',
  'lane_copy_targets',
  'order_cases',
  'order_cleanups',
  'order_events',
  'order_keys',
  'order_supplements',
  'order_units',
  'orders',
  'outage_days', // by whose machine it was
  'pay_rollups',
  'payments',
  'pick_list_items',
  'planogram_versions', // the next change of the new owner begins his
  'price_schedules', // those that wait end by themselves: their person does not reach the machine
  'product_rollups',
  'reconciliation_differences',
  'recall_devices', // who was told at its time
  'recall_renewals', // done within seconds, by machine
  'refunds',
  'release_updates', // those under way end with the next look at their roll-out
  'replenishment_items',
  'replenishment_visits', // those in progress are cancelled after a day
  'route_skips',
  'sales_folds',
  'sales_rollups',
  'special_purchases', // as their orders
  'security_events',
  'stock_day_changes',
  'stock_days',
  'stock_flows',
  'stock_warning_calls', // the new owner's people are told anew
  'temperature_excursions', // an open one goes on until the machine is back within its limits
  'telemetry_hours', // by hour and owner
  'trace_events', // by who sold it
  'unpaid_holds',
  'unpaid_losses',
  'vend_commands',
  'vend_resolutions',
  'visit_conflicts', // theirs who made the visit; its lanes are counted by the new owner
  'visit_ops',
  'visit_photos',
]
