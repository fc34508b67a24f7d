import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { type Lang, say, toLang } from '../../../shared/text.ts'
import { href } from '../../../web/base.ts'
import { type ApiError, call, isApiError } from '../../../web/call.ts'
import { EmptyArt } from '../../../web/pictures/silhouettes.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { buyerErrors } from '../buyerRules.ts'
import { type CommodityContent, commodityContent } from '../commodityContract.ts'
import styles from './Commodity.module.css'
import { DrugMark } from './DrugMark.tsx'

type Found =
  | { is: 'waiting' }
  | { is: 'gone' }
  | { is: 'failed'; error: ApiError }
  | { is: 'there'; product: CommodityContent }

/** Everything of the address that is a number or a machine; what is wrong names no product. */
function asked() {
  const search = new URLSearchParams(location.search)
  const whole = (key: string) => {
    const text = search.get(key)
    return text && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined
  }
  const rtu = search.get('rtu') ?? undefined
  return { id: whole('id') ?? 0, road: whole('road'), rtu }
}

/** Behind the code on a lane's label: for phones, light, without antd and for everybody. */
export function Commodity() {
  const stored = usePrefs().lang
  const wished = new URLSearchParams(location.search).get('lang')
  const lang: Lang = wished ? toLang(wished) : stored
  const { t } = useTranslation(['products', 'web'], { lng: lang })
  const [found, setFound] = useState<Found>({ is: 'waiting' })
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new try asks again
  useEffect(() => {
    const leaving = new AbortController()
    const { signal } = leaving
    setFound({ is: 'waiting' })
    call(commodityContent, asked(), { signal }).then(
      (product) => setFound({ is: 'there', product }),
      (error: unknown) => {
        if (signal.aborted || !isApiError(error)) return
        const gone = error.code === 404001 || error.code === 400001
        setFound(gone ? { is: 'gone' } : { is: 'failed', error })
      },
    )
    return () => leaving.abort()
  }, [tries])
  const name = found.is === 'there' ? found.product.name : t('commodity.title')
  const cover = found.is === 'there' ? found.product.images[0] : undefined
  useEffect(() => {
    document.title = name
    document.documentElement.lang = lang
    const thumbnail = cover && new URL(`${href(cover)}?w=375`, location.href).href
    for (const [property, content] of [
      ['og:title', name],
      ['og:image', thumbnail],
    ] as const) {
      document.head.querySelector(`meta[property="${property}"]`)?.remove()
      if (!content) continue
      const meta = document.createElement('meta')
      meta.setAttribute('property', property)
      meta.content = content
      document.head.append(meta)
    }
  }, [name, lang, cover])
  if (found.is === 'there') return <Content product={found.product} lang={lang} />
  return (
    <main className={styles.page} lang={lang} aria-busy={found.is === 'waiting'}>
      {found.is === 'waiting' ? (
        <div className={styles.waiting} role="status" aria-label={t('web:loading')} />
      ) : (
        <div className={styles.empty} role="alert">
          <EmptyArt kind={found.is === 'gone' ? 'filtered' : 'error'} />
          <h1>{found.is === 'gone' ? say(buyerErrors.gone.text, lang) : found.error.message}</h1>
          {found.is === 'failed' ? (
            <button type="button" onClick={() => setTries(tries + 1)}>
              {t('web:action.retry')}
            </button>
          ) : null}
        </div>
      )}
    </main>
  )
}

type Picture = { src: string; alt: string; late: boolean; className?: string | undefined }
/** As wide as this screen shows it; only the first one is fetched before it is looked at. */
const Shown = ({ src, alt, late, className }: Picture) => (
  <img
    className={className}
    src={`${href(src)}?w=375`}
    srcSet={`${href(src)}?w=375 375w, ${href(src)}?w=750 750w`}
    sizes="(max-width: 480px) 100vw, 480px"
    alt={alt}
    loading={late ? 'lazy' : 'eager'}
  />
)

function Content({ product, lang }: { product: CommodityContent; lang: Lang }) {
  const { t } = useTranslation('products', { lng: lang })
  const { name, drugClass, price, usualPrice, restriction, servicePhone } = product
  const drug = drugClass !== 'NONE'
  const form = product.dosageForm
  const insured = product.insuranceClass
  const facts: [string, string | null][] = [
    [t('fields.genericName'), drug ? product.genericName : null],
    [t('fields.approvalNo'), drug ? product.approvalNo : null],
    [t('fields.dosageForm'), drug && form ? t(`enums.dosageForm.${form}`) : null],
    [t('fields.manufacturer'), product.manufacturer],
    [t('commodity.insurance'), insured && t(`commodity.insuranceClass.${insured}`)],
    [t('fields.barcode'), product.barcode],
    [t('commodity.licence'), product.licenceNo],
  ]
  return (
    <main className={styles.page} lang={lang}>
      {product.recalled ? (
        <p className={styles.recalled} role="alert">
          {t('commodity.recalled')}
        </p>
      ) : null}
      <div className={styles.pictures}>
        {product.images.map((src, at) => (
          <a key={src} href={href(src)}>
            <Shown src={src} alt={t('commodity.picture', { name, n: at + 1 })} late={at > 0} />
            {product.images.length > 1 ? (
              <small aria-hidden>
                {at + 1} / {product.images.length}
              </small>
            ) : null}
          </a>
        ))}
      </div>
      <section className={styles.head}>
        <h1>{name}</h1>
        <p className={styles.model}>
          {product.model} <DrugMark drugClass={drugClass} />{' '}
          {drug ? t(`enums.drugClass.${drugClass}`) : null}
        </p>
        <p className={styles.price}>
          {price === null ? t('commodity.off') : yuan(price)}
          {usualPrice === null ? null : (
            <del>
              {t('commodity.usual')} {yuan(usualPrice)}
            </del>
          )}
        </p>
        {restriction > 0 && price !== null ? (
          <p>{t('commodity.limit', { n: restriction })}</p>
        ) : null}
      </section>
      {product.detailImages.map((src, at) => (
        <Shown
          key={src}
          className={styles.detail}
          src={src}
          alt={t('commodity.picture', { name, n: product.images.length + at + 1 })}
          late
        />
      ))}
      {drug ? (
        <section className={styles.warning}>
          {drugClass === 'RX' ? <p>{t('commodity.prescription')}</p> : null}
          <p>{t('commodity.warning')}</p>
          <p>{t('commodity.noReturn')}</p>
        </section>
      ) : null}
      <dl className={styles.facts}>
        {facts.map(([label, value]) =>
          value ? (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
        {servicePhone ? (
          <div>
            <dt>{t('commodity.phone')}</dt>
            <dd>
              <a href={`tel:${servicePhone}`}>{servicePhone}</a>
            </dd>
          </div>
        ) : null}
      </dl>
    </main>
  )
}
