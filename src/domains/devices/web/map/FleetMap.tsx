import { Flex } from 'antd'
import type L from 'leaflet'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { lazyDialog } from '../../../../web/lazyDialog.tsx'
import { FilterBar } from '../../../../web/list/FilterBar.tsx'
import { ListHead } from '../../../../web/list/Heads.tsx'
import listStyles from '../../../../web/list/List.module.css'
import { useListQuery } from '../../../../web/list/useListQuery.ts'
import { useLive } from '../../../../web/live.ts'
import { Count } from '../../../../web/Money.tsx'
import { Problem } from '../../../../web/Problem.tsx'
import { useMay } from '../../../../web/session.ts'
import { useDetail } from '../../../../web/useDetail.ts'
import { GeoMap } from '../../../geo/web/pickers.tsx'
import {
  devices,
  type FleetGroup,
  type FleetMachine,
  type FleetState,
  fleetStates,
} from '../../contract.ts'
import { deviceFilters } from '../list/deviceFilters.tsx'
import { ListOrMap } from '../list/ListOrMap.tsx'
import { fleetLayer, part } from './fleetLayer.ts'
import { HereList } from './HereList.tsx'
import styles from './map.module.css'
import { StateFace } from './StateFace.tsx'

const DeviceDrawer = lazyDialog(() =>
  import('../detail/DeviceDrawer.tsx').then((m) => m.DeviceDrawer),
)
type Part = { box: number[]; zoom: number }

/**
 * Where the machines of the list's filter stand, near ones as one group; a click opens the machine.
 */
export function FleetMap() {
  const { t } = useTranslation(['devices', 'web'])
  const may = useMay()
  const { query, change, reset } = useListQuery(devices.list.input, {})
  const { page, pageSize, sort, ...filter } = query
  const [shown, setShown] = useState<Part | null>(null)
  const [here, setHere] = useState<FleetGroup | null>(null)
  const layer = useRef<ReturnType<typeof fleetLayer> | null>(null)
  const read = useRead(
    devices.map,
    { ...filter, ...(shown ?? { box: [0, 0, 0, 0], zoom: 0 }) },
    { keep: true, inline: true, enabled: shown !== null },
  )
  useLive('devices', [devices.map.path])
  const words = useMemo(() => {
    const word = (state: FleetState) => [state, t(`map.state.${state}`)]
    return Object.fromEntries(fleetStates.map(word)) as Record<FleetState, string>
  }, [t])
  const { id: opened, open, close } = useDetail()
  const sayGroup = (group: FleetGroup) =>
    t('map.group', {
      n: group.total,
      states: fleetStates
        .filter((state) => group.states[state] > 0)
        .map((state) => `${words[state]} ${group.states[state]}`)
        .join('、'),
    })
  const sayMachine = (machine: FleetMachine) =>
    `${machine.rtuNumber} ${machine.nickname} ${words[machine.state]}`
  const latest = useRef({ open, sayGroup, sayMachine })
  latest.current = { open, sayGroup, sayMachine }
  const onMap = useCallback((map: L.Map) => {
    const made = fleetLayer(map, {
      sayGroup: (group) => latest.current.sayGroup(group),
      sayMachine: (machine) => latest.current.sayMachine(machine),
      onMachine: (id) => latest.current.open(id),
      onPile: setHere,
    })
    layer.current = made
    const look = () => setShown((held) => part(map, held))
    map.on('moveend', look)
    look()
    return () => {
      map.off('moveend', look)
      made.stop()
      layer.current = null
    }
  }, [])
  const { data } = read
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words change with the language
  useEffect(() => {
    if (data) layer.current?.show(data.groups, data.machines)
  }, [data, words])
  const views = [
    { key: 'all', label: t('views.all'), query: {} },
    { key: 'fault', label: t('views.fault'), query: { hasFault: true } },
    { key: 'offline', label: t('views.offline'), query: { status: 'offline' } },
    { key: 'soldOut', label: t('views.soldOut'), query: { soldOut: true } },
  ]
  return (
    <section className={`${listStyles.sheet} ${styles.page}`} aria-label={t('map.title')}>
      <ListHead
        title={t('map.title')}
        views={views}
        query={query}
        onView={(view) => reset(view)}
        actions={<ListOrMap at="map" />}
      />
      <FilterBar
        ns="devices"
        input={devices.list.input}
        filters={deviceFilters(t, may)}
        query={query}
        fixed={{}}
        onChange={change}
        onReset={() => reset({})}
        tools={null}
      />
      <div className={styles.map}>
        <GeoMap start={null} onMap={onMap} />
        {here ? (
          <HereList
            group={here}
            filter={filter}
            words={words}
            onOpen={open}
            onClose={() => setHere(null)}
          />
        ) : null}
        {read.error && !data ? (
          <div className={styles.failed}>
            <Problem
              error={read.error}
              title={t('map.failed')}
              onRetry={() => void read.refetch()}
            />
          </div>
        ) : null}
      </div>
      <Flex
        component="footer"
        className={styles.legend}
        wrap
        justify="space-between"
        gap="4px 16px"
      >
        <Flex wrap gap="4px 20px">
          {fleetStates.map((state) => (
            <Flex key={state} component="span" align="center" gap={6}>
              <StateFace state={state} />
              {words[state]}
              <b>{data ? <Count value={data.states[state]} /> : null}</b>
            </Flex>
          ))}
        </Flex>
        {data && data.unlocated > 0 ? t('map.unlocated', { n: data.unlocated }) : null}
      </Flex>
      {opened === null ? null : (
        <DeviceDrawer id={opened} onClose={close} onPrevious={undefined} onNext={undefined} />
      )}
    </section>
  )
}
