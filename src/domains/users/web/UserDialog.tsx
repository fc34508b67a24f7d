import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { FormDialog } from '../../../web/FormDialog.tsx'
import { Field, Fixed, ImageField, SwitchField, TextField } from '../../../web/form/fields.tsx'
import { pickFor } from '../../../web/form/values.ts'
import { useMay } from '../../../web/session.ts'
import { RegionSelect } from '../../devices/web/pickers.tsx'
import { AssignableRoles } from '../../organisations/web/pickers.tsx'
import { users } from '../contract.ts'
import { DepartmentSelect, HomeSelect } from './pickers.tsx'

type Props = { id: number | undefined; orgId: number | undefined; onClose: () => void }

/** Add and edit; name, organisation and password are fixed once the account is there. Render it only while open. */
export function UserDialog({ id, orgId, onClose }: Props) {
  const { t } = useTranslation(['users', 'web'])
  const read = useRead(users.get, { id: id ?? 0 }, { enabled: id !== undefined })
  const row = read.data
  if (id === undefined)
    return (
      <FormDialog
        title={t('createTitle')}
        ns="users"
        width={720}
        onClose={onClose}
        save={users.create}
        success="users:success.create"
        initial={{ ...(orgId ? { orgId } : {}), roleIds: [], regionCode: '', departmentId: null, mustChangePassword: true }}
      >
        <TextField name="username" />
        <TextField name="realName" />
        <TextField name="password" password autoComplete="new-password" />
        <TextField name="repeat" password autoComplete="new-password" required />
        <Field name="orgId">
          <HomeSelect />
        </Field>
        <NewHome />
        <Contact />
        <ImageField name="avatar" required />
        <SwitchField name="mustChangePassword" />
      </FormDialog>
    )
  if (!row) return null
  return (
    <FormDialog
      title={t('editTitle')}
      ns="users"
      width={720}
      onClose={onClose}
      save={users.update}
      success="users:success.update"
      initial={pickFor(users.update.input, row)}
    >
      <Fixed label={t('fields.username')}>{row.username}</Fixed>
      <TextField name="realName" />
      <Fixed label={t('fields.orgId')}>{row.operatorName}</Fixed>
      <Department orgId={row.operatorId} />
      <Contact />
      <ImageField name="avatar" required={row.avatar !== ''} />
    </FormDialog>
  )
}

function NewHome() {
  const orgId = Form.useWatch('orgId') as number | undefined
  return (
    <>
      <Department orgId={orgId ?? undefined} />
      <Field name="roleIds" wide required>
        <AssignableRoles orgId={orgId ?? undefined} />
      </Field>
    </>
  )
}

function Department({ orgId }: { orgId: number | undefined }) {
  const may = useMay()
  if (!may('department:read')) return null
  return (
    <Field name="departmentId">
      <DepartmentSelect key={orgId} orgId={orgId} />
    </Field>
  )
}

function Contact() {
  return (
    <>
      <TextField name="phone" />
      <TextField name="consumerPhone" />
      <TextField name="address" />
      <Field name="regionCode">
        <RegionSelect any />
      </Field>
    </>
  )
}
