import { Button, Tabs } from 'antd'
import { memo, type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearchParams } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Empty, Unread } from '../../../web/Problem.tsx'
import { useDirty, useTabTitle } from '../../../web/shell/tabs.ts'
import { usePhone } from '../../../web/shell/useWidth.ts'
import { Sheet } from '../../../web/ui/Sheet.tsx'
import { useAct } from '../../../web/useAct.ts'
import { lanes, type Planogram } from '../contract.ts'
import { LanePanel } from './edit/LanePanel.tsx'
import { LaneTools } from './edit/LaneTools.tsx'
import { useDrafts } from './edit/useDrafts.ts'
import { LaneFoot, Legend } from './grid/LaneFoot.tsx'
import { type GridActions, LaneGrid } from './grid/LaneGrid.tsx'
import { LaneTable } from './grid/LaneTable.tsx'
import styles from './grid/lanes.module.css'
import { PrintPlan } from './grid/PrintPlan.tsx'
import { createSelection, type Selection, useChosen } from './grid/selection.ts'
import { LaneHead } from './LaneHead.tsx'
import { type Goods, roadsOf, type ShownRoad } from './shown.ts'

const LevelsDialog = lazyDialog(() => import('./edit/LevelsDialog.tsx').then((m) => m.LevelsDialog))

export function CargoRoad() {
  const { t } = useTranslation('lanes')
  const deviceId = Number(useParams().id ?? 0)
  const read = useRead(lanes.plan, { deviceId }, { inline: true })
  useLive('lanes', [lanes.plan.path, lanes.schedules.path, lanes.versions.path])
  useLive('shadows', [lanes.plan.path])
  useTabTitle(read.data?.device.rtuNumber)
  if (!read.data)
    return (
      <Sheet label={t('title')}>
        <Unread read={read} rows={10} />
      </Sheet>
    )
  return read.data.floors.length === 0 ? (
    <NoLanes plan={read.data} />
  ) : (
    <Editor plan={read.data} onStale={() => void read.refetch()} />
  )
}

/** Lanes whose settings were copied, for lanes of this or another machine opened beside it. */
let clips: readonly ShownRoad[] = []

function Editor({ plan, onStale }: { plan: Planogram; onStale: () => void }) {
  const { t } = useTranslation(['lanes', 'web'])
  const asked = Number(useSearchParams()[0].get('lane'))
  const [selection] = useState(() => {
    const fresh = createSelection()
    if (roadsOf(plan).some(({ id }) => id === asked)) fresh.set([asked])
    return fresh
  })
  const [tab, setTab] = useState('plan')
  const [printing, setPrinting] = useState(false)
  const [copied, setCopied] = useState(0)
  const phone = usePhone()
  const side = useRef<HTMLDivElement>(null)
  const roads = useMemo(() => roadsOf(plan), [plan])
  const drafts = useDrafts(plan, roads, onStale)
  const takeBack = useTakeBack(plan, drafts.saved)
  useDirty(drafts.dirty)
  const open = drafts.shown.filter((road) => road.status !== 'MERGED')
  const can = plan.can.update
  const undo = drafts.back ?? (drafts.canUndo && can ? takeBack : undefined)
  const idsOf = (roads: readonly ShownRoad[]) => roads.map((road) => road.id)
  /** The chosen lanes in reading order. */
  const chosenIds = () => idsOf(open).filter((id) => selection.get().has(id))
  /** A product for the lane it fell on, or for the whole selection when the lane is part of it. */
  const place = (goods: Goods, onto: readonly number[]) =>
    drafts.set(onto, 'productId', goods.id, goods)
  const copy = (ids: readonly number[]) => {
    clips = open.filter((road) => ids.includes(road.id))
    setCopied(clips.length)
  }
  const paste = (ids: readonly number[]) => {
    if (!can || clips.length === 0 || ids.length === 0) return
    // several lanes go to as many from the one that is chosen on
    const from = open.findIndex((road) => road.id === ids[0])
    drafts.paste(ids.length > 1 ? ids : idsOf(open.slice(from, from + clips.length)), clips)
  }
  const actions: GridActions = {
    onOpen: () =>
      setTimeout(() => side.current?.querySelector<HTMLElement>('[class*=item] input')?.focus()),
    onCopy: copy,
    onPaste: paste,
    onClear: (ids) => {
      const filled = idsOf(
        open.filter(({ id, productId }) => ids.includes(id) && productId !== null),
      )
      if (can && filled.length) drafts.set(filled, 'productId', null)
    },
    onUndo: () => undo?.(),
    onRedo: () => drafts.forth?.(),
    onDrop: (id, goods) => place(goods, selection.get().has(id) ? chosenIds() : [id]),
  }
  // the grid asks when a key is pressed, and is not drawn again because an answer would be another
  // one
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  const wrong = useMemo(() => new Set(drafts.errors.keys()), [drafts.errors])
  const bar = (
    <Chosen selection={selection} roads={open}>
      {(chosen) => (
        <LaneTools
          plan={plan}
          roads={roads}
          chosen={chosen}
          dirty={drafts.dirty}
          undo={undo}
          redo={drafts.forth}
          wholeSave={!drafts.back && undo !== undefined}
          copy={() => copy(chosenIds())}
          paste={clips.length > 0 ? () => paste(chosenIds()) : undefined}
          onSaved={drafts.saved}
          onPrint={() => setPrinting(true)}
        />
      )}
    </Chosen>
  )
  return (
    <>
      <LaneHead plan={plan} dirty={drafts.dirty} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a key of the whole page, wherever in it the focus is */}
      <div
        className={styles.work}
        onKeyDown={(event) => {
          if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
          event.preventDefault()
          if (can) drafts.save()
        }}
      >
        <section className={`hd-sheet ${styles.main}`} aria-label={t('title')}>
          {phone ? (
            bar
          ) : (
            <div className={styles.beside}>
              <Legend />
              {bar}
            </div>
          )}
          <Tabs
            activeKey={tab}
            onChange={setTab}
            items={[
              {
                key: 'plan',
                label: t('planTab'),
                children: (
                  <LaneGrid
                    plan={plan}
                    roads={drafts.shown}
                    selection={selection}
                    wrong={wrong}
                    actions={latest}
                  />
                ),
              },
              {
                key: 'stock',
                label: t('stockTab'),
                children:
                  tab === 'stock' ? <LaneTable roads={drafts.shown} selection={selection} /> : null,
              },
            ]}
          />
          {phone ? <Legend /> : null}
          <LaneFoot drafts={drafts} copied={copied} can={can} onShow={selection.set} />
        </section>
        <Chosen selection={selection} roads={open}>
          {(chosen) => (
            <div ref={side} className={styles.side} data-open={chosen.length > 0 || drafts.dirty}>
              <LanePanel
                plan={plan}
                chosen={chosen}
                drafts={drafts}
                onPick={(goods) => place(goods, chosenIds())}
                onClose={() => selection.set([])}
              />
            </div>
          )}
        </Chosen>
      </div>
      {printing ? <PrintPlan plan={plan} onDone={() => setPrinting(false)} /> : null}
    </>
  )
}

type ChosenProps = {
  selection: Selection
  roads: readonly ShownRoad[]
  children: (chosen: readonly ShownRoad[]) => ReactNode
}
/**
 * What is drawn for the chosen lanes, after the grid: an arrow held down moves at once, and this
 * follows when it stops.
 */
function Chosen({ selection, roads, children }: ChosenProps) {
  const ids = useDeferredValue(useChosen(selection.settled))
  return (
    <OfChosen ids={ids} roads={roads}>
      {children}
    </OfChosen>
  )
}
type OfChosenProps = Pick<ChosenProps, 'roads' | 'children'> & { ids: ReadonlySet<number> }
const OfChosen = memo(function OfChosen({ ids, roads, children }: OfChosenProps) {
  return children(roads.filter((road) => ids.has(road.id)))
})

/** Takes the last save of this page back: the version before it, as far as the rules allow. */
function useTakeBack({ version, device }: Planogram, saved: (version: number | null) => void) {
  const { t } = useTranslation('lanes')
  const restore = useAct(lanes.restore, {
    ask: t('undoAsk', { n: version }),
    name: () => t('undoHint'),
    ok: t('undo'),
    danger: false,
    success: 'lanes:success.undo',
    onSuccess: () => saved(null),
  })
  return () => void restore({ deviceId: device.id, version, target: version - 1, undo: true })
}

function NoLanes({ plan }: { plan: Planogram }) {
  const { t } = useTranslation('lanes')
  const [open, setOpen] = useState(false)
  const create = (
    <Button type="primary" onClick={() => setOpen(true)}>
      {t('create')}
    </Button>
  )
  return (
    <>
      <LaneHead plan={plan} />
      <Sheet label={t('title')}>
        <Empty title={t('empty')} action={plan.can.update ? create : null} />
        {open ? <LevelsDialog plan={plan} onClose={() => setOpen(false)} /> : null}
      </Sheet>
    </>
  )
}
