import CheckOutlined from '@ant-design/icons/es/icons/CheckOutlined'
import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { useTranslation } from 'react-i18next'
import styles from './explain.module.css'

export type Link = { readonly what: string; readonly text: string; readonly ok: boolean }

/** One answer and the links that lead to it; the first missing one ends the chain. */
export function Chain({
  ok,
  title,
  hint,
  links,
}: {
  ok: boolean
  title: string
  hint: string
  links: readonly Link[]
}) {
  const { t } = useTranslation('roles')
  return (
    <article className={styles.answer} data-ok={ok}>
      <h4>
        <Sign ok={ok} label={t(ok ? 'explain.granted' : 'explain.missing')} /> {title}{' '}
        <code>{hint}</code>
      </h4>
      <ol>
        {links.map((link) => (
          <li key={link.what} data-ok={link.ok}>
            <small>{link.what}</small> {link.text}
          </li>
        ))}
      </ol>
    </article>
  )
}

export const Sign = ({ ok, label }: { ok: boolean; label: string }) => (
  <span className={styles.sign} data-ok={ok} role="img" aria-label={label}>
    {ok ? <CheckOutlined /> : <CloseOutlined />}
  </span>
)
