import { Input, Tree } from 'antd'
import { type Key, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Bones, Problem } from '../../../web/Problem.tsx'
import type { TreeNode } from '../contract.ts'
import styles from './organisations.module.css'
import { useTree } from './pickers.tsx'

type Drawn = TreeNode & { selectable?: boolean }
const fields = { key: 'value', title: 'label', children: 'children' }

/** Branches with a match below or in them; keys to open so that every match shows. */
function narrowed(nodes: readonly TreeNode[], words: string, open: number[]): TreeNode[] {
  return nodes.flatMap((node) => {
    const children = narrowed(node.children, words, open)
    const hit = node.label.toLowerCase().includes(words)
    if (children.length) open.push(node.value)
    return hit || children.length ? [{ ...node, children: hit && !children.length ? node.children : children }] : []
  })
}
const size = (nodes: readonly TreeNode[]): number => nodes.reduce((sum, node) => sum + 1 + size(node.children), 0)

/** The way from the top to a node, so that the chosen one is seen when the page opens. */
function wayTo(nodes: readonly TreeNode[], id: number | undefined): number[] {
  for (const node of nodes) {
    if (node.value === id) return [node.value]
    const rest = wayTo(node.children, id)
    if (rest.length) return [node.value, ...rest]
  }
  return []
}

/** The organisations of the scope; only what is in sight is drawn. */
export function OrganisationTree({ chosen, onChoose }: { chosen: number | undefined; onChoose: (id: number | undefined) => void }) {
  const { t } = useTranslation(['organisations', 'web'])
  const read = useTree()
  const [typed, setTyped] = useState('')
  const [opened, setOpened] = useState<readonly Key[] | null>(null)
  const box = useRef<HTMLDivElement>(null)
  const height = useHeight(box, read.data !== undefined)
  const list = read.data?.list ?? []
  const words = typed.trim().toLowerCase()
  const open: number[] = []
  const shown = words ? narrowed(list, words, open) : list
  const start = useMemo(() => [...(read.data?.list ?? []).map((node) => node.value), ...wayTo(read.data?.list ?? [], chosen).slice(0, -1)], [read.data, chosen])
  return (
    <aside className={styles.side} aria-label={t('tree.title')}>
      <div className={styles.sideHead}>
        <Input value={typed} allowClear placeholder={t('tree.search')} aria-label={t('tree.search')} onChange={(event) => setTyped(event.target.value)} />
        <button type="button" aria-pressed={chosen === undefined} onClick={() => onChoose(undefined)}>
          {t('tree.all')}
          <b>{read.data ? size(list) : ''}</b>
        </button>
      </div>
      <div className={styles.treeBox} ref={box}>
        {read.error ? <Problem error={read.error} onRetry={() => void read.refetch()} /> : null}
        {read.isPending ? <Bones rows={6} /> : null}
        {read.data && shown.length === 0 ? <p className={styles.none}>{t('tree.none')}</p> : null}
        {read.data && height > 0 && shown.length > 0 ? (
          <Tree<Drawn>
            blockNode
            height={height}
            treeData={shown}
            fieldNames={fields}
            selectedKeys={chosen === undefined ? [] : [chosen]}
            expandedKeys={words ? open : [...(opened ?? start)]}
            onExpand={(keys) => setOpened(keys)}
            onSelect={(keys) => onChoose(keys.length ? Number(keys[0]) : undefined)}
            titleRender={(node) => (
              <span className={`${styles.node} ${node.status === 'DISABLED' ? styles.closed : ''}`} title={node.label}>
                <span>{node.label}</span>
                <small>{t(`enums.kind.${node.kind}`)}</small>
              </span>
            )}
          />
        ) : null}
      </div>
    </aside>
  )
}

function useHeight(box: { readonly current: HTMLElement | null }, ready: boolean): number {
  const [height, setHeight] = useState(0)
  useEffect(() => {
    if (!box.current || !ready) return
    const observer = new ResizeObserver(([entry]) => setHeight(Math.floor(entry?.contentRect.height ?? 0)))
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [box, ready])
  return height
}
