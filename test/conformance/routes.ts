const groups: Readonly<Record<string, string>> = {
  device: 'device-list device-category device-create device-distribution main-board',
  product: 'product-category product-manage medical-insurance',
  stock: 'replenish waste cordon_stock prompt-expired-goods',
  order: 'order-list order-clean order-details',
  data: 'sales-report financial-data inventory-report products-report offline-equipment user-data best-selling-products',
  finance: 'billing-details sub-ledger-list sub-account payment-list busManager invoice-enterprise',
  organ: 'organ-manage organ-user',
  log: 'operate-log issue-notice',
  complaint: 'feedback',
  system: 'organ-role organ-menu forgetpwd createroledistribute organ-system',
  market: 'market-manage market-strategy market-advertisePanel market-program-group',
  apk: 'apk-manage apk-history',
  firmware: 'firmware-manage firmware-history',
  ic_school_manage:
    'school_manage grade_manage class_manage student_manage student_card_manage student_card_finance student_card_charge_records student_card_orders',
  card_manage:
    'card_list card_factory charge_records order_list cardMp_list card_factory_list employee_list ec_consumption employee_records',
  workbench: 'situation big-data',
  flowers: 'activity-list article-list flowers-order-list small-program-list',
  vip: 'vip_list',
  redpack:
    'order_list slogan_list sponsor_charge_records sponsor_list redPackStrategyTemplate redPackStrategyDayly distanceSettings bindSettings redpackRtuList',
  cargoRentRtuOwner: 'cargoDistribute cargoRentBuild',
  cargoRentTenent: 'cargoTenantRentedList',
  cargoTenantPlat: 'cargoTenantList',
  consultation:
    'userinfo-list doctorinfo-list inquiryrecord-list hospital-list prescription-list consultingRoom-list inspection-records-list physical-fee-list charge-bill-distributed-list sfd-consumables-list sfd-total-consumables-list',
}

/**
 * Routes of the specification, section 2: the root's children, then the pages of each group.
 * Sub-pages hang below them.
 */
export const specificationRoutes: readonly string[] = [
  ...'home best-selling-products offline-equipment online-platform info pwd bindOpenId notice'
    .split(' ')
    .map((name) => `/${name}`),
  ...Object.entries(groups).flatMap(([group, names]) =>
    names.split(' ').map((name) => `/${group}/${name}`),
  ),
]
