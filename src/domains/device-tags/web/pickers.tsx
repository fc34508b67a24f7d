import { Flex } from 'antd'
import { useRead } from '../../../web/api.ts'
import type { PickProps } from '../../../web/OptionSelect.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { Chip, Dot } from '../../../web/ui/Text.tsx'
import { type DeviceTagOption, deviceTags } from '../contract.ts'
import { toneOf } from './tones.ts'

type Tag = Pick<DeviceTagOption, 'id' | 'name' | 'tone'>

/** The tags of a machine, in their colours. */
export const DeviceTagChips = ({ tags }: { tags: readonly Tag[] }) => (
  <Flex gap={4} wrap component="span">
    {tags.map(({ id, name, tone }) => (
      <Chip key={id} tone={toneOf[tone]}>
        {name}
      </Chip>
    ))}
  </Flex>
)

/** Where there is no room for words: a dot for each of the first three, all names under the pointer. */
export const DeviceTagDots = ({ tags }: { tags: readonly Tag[] }) => {
  const names = tags.map(({ name }) => name).join(', ')
  return tags.length === 0 ? null : (
    <Flex gap={3} align="center" flex="none" role="img" aria-label={names} title={names}>
      {tags.slice(0, 3).map(({ id, tone }) => (
        <Dot key={id} tone={toneOf[tone]} />
      ))}
    </Flex>
  )
}

/**
 * Several tags by their names. Without an organisation each says whose it is, where there are
 * several.
 */
export function DeviceTagSelect({
  orgId,
  value,
  onChange,
  label,
  ...props
}: PickProps<number[]> & { orgId?: number | undefined; label?: string }) {
  const read = useRead(deviceTags.options, orgId ? { orgId } : {}, { staleTime: 30_000 })
  const tags = read.data?.list ?? []
  const several = new Set(tags.map((tag) => tag.orgId)).size > 1
  return (
    <Select
      {...props}
      {...(label ? { 'aria-label': label } : {})}
      mode="multiple"
      style={{ width: '100%' }}
      value={read.isPending || !Array.isArray(value) ? [] : (value as number[])}
      loading={read.isPending}
      allowClear
      maxTagCount="responsive"
      popupMatchSelectWidth={false}
      showSearch={{ optionFilterProp: 'label' }}
      options={tags.map((tag) => ({
        value: tag.id,
        label: several ? `${tag.name} · ${tag.orgName}` : tag.name,
        tag,
      }))}
      optionRender={({ data: { tag, label: text } }: { data: { tag: Tag; label: string } }) => (
        <Chip tone={toneOf[tag.tone]}>{text}</Chip>
      )}
      onChange={(next: number[]) => onChange?.(next)}
    />
  )
}
