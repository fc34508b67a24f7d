import type { CascaderProps, SelectProps, TreeSelectProps } from 'antd'
import type { ReactNode } from 'react'
import { onDemand, onTouch } from './onDemand.tsx'

type Choice = {
  readonly value?: unknown
  readonly label?: ReactNode
  readonly title?: ReactNode
  readonly children?: readonly Choice[]
}
type Held = {
  readonly value?: unknown
  readonly options?: readonly Choice[]
  readonly treeData?: readonly Choice[]
}

const flat = (options: readonly Choice[]): readonly Choice[] =>
  options.flatMap((choice) => [choice, ...flat(choice.children ?? [])])

/**
 * The words of the chosen values, joined when there are several; for a tree of choices the path.
 */
function chosen({ value, treeData = [], options = treeData }: Held): readonly ReactNode[] {
  if (value === undefined || value === null || value === '') return []
  const values = [value].flat()
  if (values.length === 0) return []
  let level: readonly Choice[] = options
  const words = values.map((item) => {
    if (typeof item === 'object' && item !== null && 'label' in item) return (item as Choice).label
    const found =
      level.find((choice) => choice.value === item) ??
      flat(options).find((choice) => choice.value === item)
    if (found?.children) level = found.children
    return found?.label ?? found?.title ?? String(item)
  })
  return [
    words.every((word) => typeof word === 'string')
      ? words.join(level === options ? ', ' : ' / ')
      : words[0],
  ]
}

const field = <P,>(load: () => Promise<unknown>) =>
  onTouch(onDemand(load as never), 'select', (props) => chosen(props as Held)) as unknown as P

export const Select = field<<V, O extends object = object>(props: SelectProps<V, O>) => ReactNode>(
  async () => (await import('./parts.ts')).Select,
)
export const TreeSelect = field<<V>(props: TreeSelectProps<V>) => ReactNode>(
  async () => (await import('./trees.ts')).TreeSelect,
)
export const Cascader = field<(props: CascaderProps) => ReactNode>(
  async () => (await import('./trees.ts')).Cascader,
)
