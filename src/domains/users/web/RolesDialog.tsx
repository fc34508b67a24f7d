import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field } from '../../../web/form/fields.tsx'
import { usePrefs } from '../../../web/prefs.ts'
import { AssignableRoles } from '../../organisations/web/pickers.tsx'
import { type OrganUserRow, users } from '../contract.ts'
import styles from './users.module.css'

/** The roles of one person, or the same for many; those who cannot be changed are left out and counted. */
export function RolesDialog({ rows, onClose, onSaved }: { rows: readonly OrganUserRow[]; onClose: () => void; onSaved?: () => void }) {
  const { t } = useTranslation('users')
  const english = usePrefs().lang === 'en'
  const open = rows.filter((row) => row.can.roles)
  const [one] = rows
  const single = rows.length === 1 && one
  const held = single ? one.roles.map((role) => ({ id: role.id, name: english ? role.nameEn || role.name : role.name })) : []
  // people of several organisations get what may be held in the own one
  const homes = new Set(open.map((row) => row.operatorId))
  const fields = (
    <>
      <Alert className={styles.note ?? ''} type="info" showIcon title={t('rolesEnd')} />
      {open.length < rows.length ? (
        <Alert className={styles.note ?? ''} type="warning" showIcon title={t('skippedRoles', { n: rows.length - open.length })} />
      ) : null}
      <Field name="roleIds" wide required>
        <AssignableRoles held={held} orgId={homes.size === 1 ? one?.operatorId : undefined} />
      </Field>
    </>
  )
  const shared = { ns: 'users', onClose, success: 'users:success.roles', ...(onSaved ? { onSaved } : {}) }
  if (single)
    return (
      <FormDialog
        {...shared}
        title={t('assignRolesOf', { name: one.realName })}
        save={users.setRoles}
        initial={{ id: one.id, version: one.version, roleIds: one.roles.map((role) => role.id) }}
      >
        {fields}
      </FormDialog>
    )
  return (
    <FormDialog {...shared} title={`${t('assignRoles')} (${open.length})`} save={users.batchRoles} initial={{ ids: open.map((row) => row.id), roleIds: [] }}>
      {fields}
    </FormDialog>
  )
}
