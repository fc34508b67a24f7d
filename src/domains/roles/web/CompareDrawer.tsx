import { useTranslation } from 'react-i18next'
import type { Output } from '../../../shared/contract.ts'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { Lead } from '../../../web/ui/Text.tsx'
import { roles } from '../contract.ts'
import { roleName } from '../rules.ts'
import styles from './roles.module.css'
import { useCatalogue } from './useCatalogue.ts'

type Side = Output<typeof roles.diff>['a']

/** Two roles side by side: first what differs, by group; what both have is only counted. */
export function CompareDrawer({ a, b, onClose }: { a: number; b: number; onClose: () => void }) {
  const { t } = useTranslation(['roles', 'web'])
  const { lang } = usePrefs()
  const read = useRead(roles.diff, { a, b }, { inline: true })
  const catalogue = useCatalogue()
  const { a: left, b: right } = read.data ?? {}
  const only = (own: readonly string[], other: readonly string[]) =>
    own.filter((entry) => !other.includes(entry))
  const list = (what: string, entries: readonly string[], nameOf: (entry: string) => string) => (
    <>
      <h4>
        {t('onlyHere')} · {what} {entries.length}
      </h4>
      {entries.length ? null : <p>{t('none')}</p>}
      {entries.map((entry) => (
        <div key={entry}>
          {nameOf(entry)} <code>{entry}</code>
        </div>
      ))}
    </>
  )
  const side = (role: Side, other: Side) => (
    <section key={role.id} className={styles.side}>
      <h3>{roleName(role, lang)}</h3>
      <Rows
        items={[
          [t('fields.dataScope'), t(`enums.dataScope.${role.dataScope}`)],
          [t('fields.rank'), role.rank],
          [t('fields.permissionCount'), role.permissions.length],
          [t('fields.menus'), role.menus.length],
        ]}
      />
      {list(t('fields.permissions'), only(role.permissions, other.permissions), catalogue.nameOf)}
      {list(t('fields.menus'), only(role.menus, other.menus), catalogue.pageName)}
    </section>
  )
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
          <Lead>
            {t('same', {
              count: left.permissions.length - only(left.permissions, right.permissions).length,
            })}
          </Lead>
          <div className={styles.sides}>
            {side(left, right)}
            {side(right, left)}
          </div>
        </>
      ) : null}
    </Detail>
  )
}
