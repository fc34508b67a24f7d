import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { Field, Fixed, ImageField, SwitchField, TextField } from '../../../web/form/fields.tsx'
import { RegionSelect } from '../../../web/RegionSelect.tsx'
import { useMay } from '../../../web/session.ts'
import { AssignableRoles } from '../../roles/web/pickers/roleSelect.tsx'
import type { OrganUserRow } from '../contract.ts'
import { DepartmentSelect, HomeSelect } from './pickers.tsx'

/** Name, organisation and password are fixed once the account is there. */
export function UserFields({ row }: { row: OrganUserRow | undefined }) {
  const { t } = useTranslation('users')
  const may = useMay()
  const chosen = (Form.useWatch('orgId') as number | null | undefined) ?? undefined
  const home = row?.operatorId ?? chosen
  return (
    <>
      {row ? (
        <Fixed label={t('fields.username')}>{row.username}</Fixed>
      ) : (
        <TextField name="username" />
      )}
      <TextField name="realName" />
      {row ? (
        <Fixed label={t('fields.orgId')}>{row.operatorName}</Fixed>
      ) : (
        <>
          <TextField name="password" password autoComplete="new-password" />
          <TextField name="repeat" password autoComplete="new-password" required />
          <Field name="orgId">
            <HomeSelect />
          </Field>
        </>
      )}
      {may('department:read') ? (
        <Field name="departmentId">
          <DepartmentSelect key={home} orgId={home} />
        </Field>
      ) : null}
      {row ? null : (
        <Field name="roleIds" wide required>
          <AssignableRoles orgId={home} />
        </Field>
      )}
      <TextField name="phone" />
      <TextField name="consumerPhone" />
      <TextField name="address" />
      <Field name="regionCode">
        <RegionSelect any />
      </Field>
      <ImageField name="avatar" required={row?.avatar !== ''} />
      {row ? null : <SwitchField name="mustChangePassword" />}
    </>
  )
}
