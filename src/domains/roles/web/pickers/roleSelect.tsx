import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { OptionSelect, type PickProps } from '../../../../web/OptionSelect.tsx'
import { usePrefs } from '../../../../web/prefs.ts'
import { Select } from '../../../../web/ui/select.tsx'
import { roles } from '../../contract.ts'
import { type NamedRole, roleName } from '../../rules.ts'

/**
 * Roles the actor may give to people of an organisation (his own), and those the account has
 * already.
 */
export function AssignableRoles({
  id,
  value,
  onChange,
  orgId,
  held = [],
}: PickProps<number[]> & {
  orgId?: number | undefined
  held?: readonly (NamedRole & { id: number })[]
}) {
  const { t } = useTranslation('web')
  const { lang } = usePrefs()
  const read = useRead(roles.assignable, orgId ? { orgId } : {}, { staleTime: 60_000, keep: true })
  const options = new Map(
    [...held, ...(read.data?.list ?? [])].map((role) => [role.id, roleName(role, lang)]),
  )
  return (
    <Select
      {...(id ? { id } : {})}
      style={{ width: '100%' }}
      popupMatchSelectWidth={false}
      mode="multiple"
      value={Array.isArray(value) ? (value as number[]) : []}
      loading={read.isPending}
      placeholder={t('form.choose')}
      showSearch={{ optionFilterProp: 'label' }}
      options={[...options].map(([role, label]) => ({ value: role, label }))}
      onChange={(next: number[]) => onChange?.(next)}
    />
  )
}

/** One role as a filter: those at hand, and any other by its name. */
export function RoleFilter(props: PickProps<number | null>) {
  const { lang } = usePrefs()
  return (
    <OptionSelect
      {...props}
      from={roles.assignable}
      input={typeof props.value === 'number' ? { ids: [props.value] } : {}}
      text={(role) => roleName(role, lang)}
    />
  )
}
