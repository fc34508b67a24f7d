import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { locale } from '../../src/domains/products/locale.ts'
import { Commodity } from '../../src/domains/products/web/Commodity.tsx'
import { registerLocale } from '../../src/web/i18n.ts'
import { setToken } from '../../src/web/token.ts'
import { answer, askedOf, show } from './world.tsx'

registerLocale('products', locale)
const call = 'GET /mobile/commodityContent'
const product = {
  name: '板蓝根颗粒',
  model: '10g×20袋',
  drugClass: 'OTC_B',
  images: ['files/a.png', 'files/b.png'],
  detailImages: ['files/c.png'],
  barcode: null,
  manufacturer: '某厂',
  approvalNo: '国药准字Z20147726',
  dosageForm: '颗粒剂',
  status: 'ON',
  price: 1680,
  usualPrice: null,
  restriction: 2,
  insuranceClass: null,
  recalled: false,
  licenceNo: '',
  servicePhone: '',
}

test('the page behind a lane’s code says who asks to nobody, and what it shows when shared', async () => {
  answer(call, () => product)
  setToken('a-session')
  await show(<Commodity />, { path: '/commodityimg?id=7&rtu=HD000041&road=3', width: 390 })
  await expect.element(page.getByRole('heading', { name: '板蓝根颗粒' })).toBeVisible()
  expect(askedOf(call)).toMatchObject([
    { query: { id: '7', rtu: 'HD000041', road: '3' }, token: null },
  ])
  const shared = (property: string) =>
    document.querySelector<HTMLMetaElement>(`meta[property="${property}"]`)?.content
  expect(document.title).toBe('板蓝根颗粒')
  expect(shared('og:title')).toBe('板蓝根颗粒')
  expect(shared('og:image')).toBe(new URL('/files/a.png?w=375', location.href).href)
  // the pictures of the detail stand above what the law asks for
  const parts = [...document.querySelectorAll('main img, main dl')].map((part) =>
    part instanceof HTMLImageElement ? part.getAttribute('src') : part.tagName,
  )
  expect(parts).toEqual(['/files/a.png?w=375', '/files/b.png?w=375', '/files/c.png?w=375', 'DL'])
  localStorage.removeItem('Authorization')
})
