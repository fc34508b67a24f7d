import assert from 'node:assert/strict'
import { test } from './flow.ts'

test('lists show all their columns at 1440, in both languages', async ({ env }) => {
  test.setTimeout(300_000)
  const lists = [
    '/device/device-list',
    '/device/main-board',
    '/device/stores',
    '/product/product-manage',
    '/order/order-list',
    '/product/supplier-batch',
    '/product/supplier-batch/batches',
    '/product/medical-insurance',
    '/order/order-details',
    '/stock/replenish',
    '/stock/waste',
    '/stock/cordon_stock',
    '/stock/prompt-expired-goods',
    '/stock/drug-control/recalls',
    '/stock/drug-control/codes',
    '/stock/drug-control/evidence',
    '/stock/drug-control',
    '/stock/drug-control/temperature',
    '/stock/drug-control/refusals',
    '/finance/billing-details',
    '/finance/billing-details/ledger',
    '/finance/billing-details/adjustments',
    '/finance/payment-list',
    '/finance/sub-account',
    '/finance/sub-ledger-list',
    '/finance/sub-ledger-list/orders',
    '/finance/busManager',
    '/finance/billing-details/reconciliation',
    '/finance/billing-details/reconciliation/differences',
    '/finance/billing-details/withdrawals',
    '/finance/billing-details/payout-accounts',
    '/finance/invoice-enterprise',
    '/finance/invoice-enterprise/titles',
    '/organ/organ-user',
    '/organ/organ-manage',
    '/system/organ-role',
    '/system/forgetpwd',
    '/log/operate-log',
    '/log/security-events',
    '/log/issue-notice',
    '/complaint/feedback',
    '/data/sales-report',
    '/data/offline-equipment',
    '/data/financial-data',
    '/data/inventory-report',
    '/data/user-data',
    '/market/market-manage',
    '/market/market-program-group',
    '/apk/apk-manage',
    '/apk/apk-history',
    '/firmware/firmware-manage',
    '/system/dictionary',
  ]
  const wide: string[] = []
  const look = async (lang: 'zh-CN' | 'en') => {
    const { page } = await env.open({ username: 'super', lang, path: '/404', shared: true })
    for (const path of lists) {
      // as a link does it: the page is not loaded anew, rows of the list before stay beside
      await page.evaluate((to) => {
        for (const row of document.querySelectorAll('tr[data-row-key]'))
          row.setAttribute('data-before', '')
        history.pushState(history.state, '', to)
        dispatchEvent(new PopStateEvent('popstate', { state: history.state }))
      }, path)
      await page
        .locator('tr[data-row-key]:not([data-before], [data-row-key^="-"]):visible')
        .first()
        .waitFor()
      const body = await page.waitForFunction(() =>
        // lists of other tabs are on the page, too, without a width
        [...document.querySelectorAll('[data-rows]')].find((one) => one.checkVisibility()),
      )
      const over = await body.evaluate((one) => (one ? one.scrollWidth - one.clientWidth : 0))
      if (over > 1) wide.push(`${path} ${lang} is ${over} px too wide`)
    }
    await page.close()
  }
  await Promise.all([look('zh-CN'), look('en')])
  assert.deepEqual(wide, [])
})
