import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { type PickedProps, wholeWidth } from '../../../web/picked.ts'
import { Select } from '../../../web/ui/select.tsx'
import { accounts } from '../contract.ts'

/** An organisation that may own machines. */
export function OwnerSelect(props: PickedProps<number>) {
  const { t } = useTranslation('web')
  const read = useRead(accounts.organisationOptions, {}, { staleTime: 60_000 })
  const owners = (read.data?.list ?? []).filter((org) =>
    ['PLATFORM', 'AGENT', 'OPERATOR'].includes(org.kind),
  )
  return (
    <Select
      {...wholeWidth(props)}
      value={typeof props.value === 'number' ? props.value : null}
      placeholder={props.placeholder ?? t('form.choose')}
      loading={read.isPending}
      popupMatchSelectWidth={false}
      showSearch={{ optionFilterProp: 'label' }}
      options={owners.map((org) => ({ value: org.id, label: org.name }))}
      onChange={(next: number | null | undefined) => props.onChange?.(next ?? undefined)}
    />
  )
}
