import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { roles } from '../contract.ts'
import styles from './roles.module.css'
import { useCatalogue } from './useCatalogue.ts'

/** Two roles side by side: first what differs, by group; what both have is only counted. */
export function CompareDrawer({ a, b, onClose }: { a: number; b: number; onClose: () => void }) {
  const { t } = useTranslation(['roles', 'web'])
  const { lang } = usePrefs()
  const read = useRead(roles.diff, { a, b }, { inline: true })
  const catalogue = useCatalogue()
  const sides = read.data ? [read.data.a, read.data.b] : []
  const [left, right] = sides
  const common =
    left && right ? left.permissions.filter((code) => right.permissions.includes(code)).length : 0
  const only = (own: readonly string[] = [], other: readonly string[] = []) =>
    own.filter((entry) => !other.includes(entry))
  const side = (role: (typeof sides)[number], other: (typeof sides)[number]) => {
    const codes = only(role.permissions, other.permissions)
    const pages = only(role.menus, other.menus)
    return (
      <section key={role.id} className={styles.side}>
        <h3>{lang === 'en' ? role.nameEn : role.name}</h3>
        <Rows
          items={[
            [t('fields.dataScope'), t(`enums.dataScope.${role.dataScope}`)],
            [t('fields.rank'), role.rank],
            [t('fields.permissionCount'), role.permissions.length],
            [t('fields.menus'), role.menus.length],
          ]}
        />
        <h4>
          {t('onlyHere')} · {t('fields.permissions')} {codes.length}
        </h4>
        {codes.length ? (
          <ul>
            {codes.map((code) => (
              <li key={code}>
                {catalogue.nameOf(code)} <code>{code}</code>
              </li>
            ))}
          </ul>
        ) : (
          <p>{t('none')}</p>
        )}
        <h4>
          {t('onlyHere')} · {t('fields.menus')} {pages.length}
        </h4>
        {pages.length ? (
          <ul>
            {pages.map((path) => (
              <li key={path}>
                {catalogue.pageName(path)} <code>{path}</code>
              </li>
            ))}
          </ul>
        ) : (
          <p>{t('none')}</p>
        )}
      </section>
    )
  }
  return (
    <Detail
      open
      onClose={onClose}
      title={t('compareTitle')}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
    >
      {left && right ? (
        <>
          <p className={styles.hint}>{t('same', { count: common })}</p>
          <div className={styles.sides}>
            {side(left, right)}
            {side(right, left)}
          </div>
        </>
      ) : null}
    </Detail>
  )
}
