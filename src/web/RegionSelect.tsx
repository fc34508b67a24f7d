import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Region } from '../shared/regions.ts'
import { type PickedProps, wholeWidth } from './picked.ts'
import { Cascader } from './ui/select.tsx'

type Node = { value: string; label: string; children?: Node[] }
const node = (region: Region): Node => ({
  value: region.code,
  label: region.name,
  ...(region.children.length ? { children: region.children.map(node) } : {}),
})

/**
 * The code of a region; `any` also takes provinces and cities. The list of regions loads when the
 * field is first shown.
 */
export function RegionSelect({ any = false, ...props }: PickedProps<string> & { any?: boolean }) {
  const { t } = useTranslation('web')
  const [regions, setRegions] = useState<typeof import('../shared/regions.ts')>()
  useEffect(() => void import('../shared/regions.ts').then((module) => setRegions(module)), [])
  const options = useNodes(regions)
  const path =
    typeof props.value === 'string'
      ? (regions?.regionPath(props.value).map((region) => region.code) ?? [])
      : []
  return (
    <Cascader
      {...wholeWidth(props)}
      options={options}
      value={path}
      changeOnSelect={any}
      loading={!regions}
      placeholder={props.placeholder ?? t('form.choose')}
      showSearch
      displayRender={(labels) => labels.join(' / ')}
      onChange={(codes) => props.onChange?.((codes as string[] | undefined)?.at(-1))}
    />
  )
}

/** A filter that also takes provinces and cities. */
export const AnyRegion = (props: PickedProps<string>) => <RegionSelect {...props} any />

const built = new WeakMap<object, Node[]>()
function useNodes(regions: typeof import('../shared/regions.ts') | undefined): Node[] {
  if (!regions) return []
  const held = built.get(regions) ?? regions.regionTree().map(node)
  built.set(regions, held)
  return held
}
