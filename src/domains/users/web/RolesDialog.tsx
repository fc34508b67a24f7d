import { useTranslation } from 'react-i18next'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Note } from '../../../web/form/fields.tsx'
import { AssignableRoles } from '../../roles/web/pickers/roleSelect.tsx'
import { type OrganUserRow, users } from '../contract.ts'

type Props = { rows: readonly OrganUserRow[]; onClose: () => void; onSaved?: () => void }

/**
 * The roles of one person, or the same for many; those who cannot be changed are left out and
 * counted.
 */
export function RolesDialog({ rows, onClose, onSaved }: Props) {
  const { t } = useTranslation('users')
  const open = rows.filter((row) => row.can.roles)
  const [one] = rows
  const single = rows.length === 1 && one
  // people of several organisations get what may be held in the own one
  const homes = new Set(open.map((row) => row.operatorId))
  const shared = {
    ns: 'users',
    onClose,
    ...(onSaved ? { onSaved } : {}),
    children: (
      <>
        <Note>{t('rolesEnd')}</Note>
        {open.length < rows.length ? (
          <Note type="warning">{t('skippedRoles', { n: rows.length - open.length })}</Note>
        ) : null}
        <Field name="roleIds" wide required>
          <AssignableRoles
            held={single ? one.roles : []}
            orgId={homes.size === 1 ? one?.operatorId : undefined}
          />
        </Field>
      </>
    ),
  }
  return single ? (
    <FormDialog
      {...shared}
      title={t('assignRolesOf', { name: one.realName })}
      save={users.setRoles}
      initial={{ id: one.id, version: one.version, roleIds: one.roles.map((role) => role.id) }}
    />
  ) : (
    <FormDialog
      {...shared}
      title={`${t('assignRoles')} (${open.length})`}
      save={users.batchRoles}
      initial={{ ids: open.map((row) => row.id), roleIds: [] }}
    />
  )
}
