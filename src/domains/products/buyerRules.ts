import { defineErrors } from '../../shared/errors.ts'

/** What the page for buyers needs of rules.ts: a phone loads this without the rest. */
export const drugClasses = ['NONE', 'OTC_B', 'OTC_A', 'RX'] as const

/** What a buyer reads who scanned the code of something that is not sold (any more). */
export const buyerErrors = defineErrors('products', {
  gone: [404001, '商品不存在或已下架', 'There is no such product, or it is off the shelf'],
})
