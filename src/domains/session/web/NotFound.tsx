import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { href } from '../../../web/base.ts'
import { isKnown, screenOf } from '../../../web/guard.ts'
import { EmptyArt } from '../../../web/pictures/silhouettes.tsx'
import { product } from '../../../web/product.ts'
import { token } from '../../../web/token.ts'
import styles from './NotFound.module.css'

/** Plain links on purpose: this page also stands alone, outside the shell. */
export function NotFound() {
  const { t } = useTranslation('web')
  const from = new URLSearchParams(location.search).get('from') ?? ''
  const signedIn = token() !== null
  const code = signedIn ? (screenOf(from, product.screens)?.permission ?? '') : ''
  const [asked, setAsked] = useState(false)
  useEffect(() => {
    document.title = '404'
  }, [])
  return (
    <main className={styles.page}>
      <EmptyArt kind="filtered" />
      <h1>{t('notFound.text')}</h1>
      {signedIn && from !== '' && isKnown(from, product.screens) ? (
        <p>{t('notFound.forbidden')}</p>
      ) : null}
      {from === '' ? null : <p className={styles.path}>{from.slice(0, 200)}</p>}
      {asked ? <product.WhyNot code={code} /> : null}
      <div className={styles.actions}>
        <a className={styles.primary} href={href(signedIn ? '/home' : '/login')}>
          {t(signedIn ? 'notFound.home' : 'notFound.login')}
        </a>
        {code.includes(':') && !asked ? (
          <button type="button" onClick={() => setAsked(true)}>
            {t('notFound.why')}
          </button>
        ) : null}
        <button type="button" onClick={() => history.back()}>
          {t('notFound.back')}
        </button>
      </div>
    </main>
  )
}
