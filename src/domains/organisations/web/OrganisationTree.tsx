import { Button, Flex, Input, Tree } from 'antd'
import { type Key, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Count } from '../../../web/Money.tsx'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { Cut, Lead, Muted } from '../../../web/ui/Text.tsx'
import { SidePanel } from '../../../web/ui/TwoPanes.tsx'
import type { TreeNode } from '../../accounts/contract.ts'
import { useTree } from '../../accounts/web/pickers.tsx'

const fields = { key: 'value', title: 'label', children: 'children' }
const none: TreeNode[] = []

/** Branches with a match below or in them; keys to open so that every match shows. */
function narrowed(nodes: readonly TreeNode[], words: string, open: number[]): TreeNode[] {
  return nodes.flatMap((node) => {
    const children = narrowed(node.children, words, open)
    const hit = node.label.toLowerCase().includes(words)
    if (children.length) open.push(node.value)
    if (!hit && !children.length) return []
    return [{ ...node, children: hit && !children.length ? node.children : children }]
  })
}
const size = (nodes: readonly TreeNode[]): number =>
  nodes.reduce((sum, node) => sum + 1 + size(node.children), 0)

/** The way from the top to a node, so that the chosen one is seen when the page opens. */
function wayTo(nodes: readonly TreeNode[], id: number | undefined): number[] {
  for (const node of nodes) {
    if (node.value === id) return [node.value]
    const rest = wayTo(node.children, id)
    if (rest.length) return [node.value, ...rest]
  }
  return []
}

type Props = { chosen: number | undefined; onChoose: (id: number | undefined) => void }

/** The organisations of the scope; only what is in sight is drawn. */
export function OrganisationTree({ chosen, onChoose }: Props) {
  const { t } = useTranslation(['organisations', 'web'])
  const read = useTree()
  const [typed, setTyped] = useState('')
  const [opened, setOpened] = useState<readonly Key[] | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const height = useHeight(box)
  const list = read.data?.list ?? none
  const words = typed.trim().toLowerCase()
  const open: number[] = []
  const shown = words ? narrowed(list, words, open) : list
  const start = useMemo(
    () => [...list.map((node) => node.value), ...wayTo(list, chosen).slice(0, -1)],
    [list, chosen],
  )
  const all = chosen === undefined
  return (
    <SidePanel
      label={t('tree.title')}
      head={
        <Flex vertical gap={8}>
          <Input
            value={typed}
            allowClear
            placeholder={t('tree.search')}
            aria-label={t('tree.search')}
            onChange={(event) => setTyped(event.target.value)}
          />
          <Button
            block
            aria-pressed={all}
            color={all ? 'primary' : 'default'}
            variant={all ? 'filled' : 'text'}
            style={all ? { color: 'var(--hd-selected-text)' } : {}}
            onClick={() => onChoose(undefined)}
          >
            <Flex component="span" flex={1} justify="space-between">
              {t('tree.all')}
              {read.data ? <Count value={size(list)} /> : null}
            </Flex>
          </Button>
        </Flex>
      }
    >
      <div ref={box} style={{ height: '100%' }}>
        {read.error ? <Problem error={read.error} onRetry={() => void read.refetch()} /> : null}
        {read.isPending ? <Skeleton rows={6} /> : null}
        {read.data && shown.length === 0 ? <Lead>{t('tree.none')}</Lead> : null}
        {height > 0 && shown.length > 0 ? (
          <Tree<TreeNode & { selectable?: boolean }>
            blockNode
            height={height}
            treeData={shown}
            fieldNames={fields}
            selectedKeys={all ? [] : [chosen]}
            expandedKeys={words ? open : [...(opened ?? start)]}
            onExpand={(keys) => setOpened(keys)}
            onSelect={([key]) => onChoose(key === undefined ? undefined : Number(key))}
            titleRender={(node) => <Name node={node} />}
          />
        ) : null}
      </div>
    </SidePanel>
  )
}

function Name({ node }: { node: TreeNode }) {
  const { t } = useTranslation('organisations')
  return (
    <Flex component="span" gap={6} title={node.label}>
      <Cut>{node.status === 'DISABLED' ? <del>{node.label}</del> : node.label}</Cut>
      <Muted small>{t(`enums.kind.${node.kind}`)}</Muted>
    </Flex>
  )
}

function useHeight(box: { readonly current: HTMLElement | null }): number {
  const [height, setHeight] = useState(0)
  useEffect(() => {
    if (!box.current) return
    const observer = new ResizeObserver(([entry]) =>
      setHeight(Math.floor(entry?.contentRect.height ?? 0)),
    )
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [box])
  return height
}
