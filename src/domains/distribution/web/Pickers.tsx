import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Select } from '../../../web/ui/select.tsx'
import { distribution, type staffKinds } from '../contract.ts'

type Kind = (typeof staffKinds)[number]

/** People who serve in this way; with an organisation only those who stand there or above. */
export function PeopleSelect({
  kind,
  orgId,
  value,
  onChange,
  without = [],
}: {
  kind: Kind
  orgId?: number
  value: readonly number[]
  onChange: (ids: number[]) => void
  without?: readonly number[]
}) {
  const { t } = useTranslation('distribution')
  const read = useRead(
    distribution.people,
    { kind, ...(orgId ? { orgId } : {}) },
    { staleTime: 15_000 },
  )
  const options = (read.data?.list ?? [])
    .filter((person) => !without.includes(person.id))
    .map((person) => ({
      value: person.id,
      label: `${person.name} (${person.username}) · ${person.orgName}`,
    }))
  return (
    <Select
      mode="multiple"
      style={{ width: '100%' }}
      value={[...value]}
      options={options}
      loading={read.isPending}
      placeholder={t('choose')}
      aria-label={t(`enums.kind.${kind}`)}
      maxTagCount="responsive"
      showSearch={{ optionFilterProp: 'label' }}
      onChange={(next: number[]) => onChange(next)}
    />
  )
}
