import { ScatterChart } from 'echarts/charts'
import { GeoComponent, TooltipComponent } from 'echarts/components'
import { getMap, init, use as register, registerMap } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { useEffect, useRef } from 'react'
import { usePrefs } from '../../../web/prefs.ts'
import { chartColors, tokens } from '../../../web/theme.ts'
import type { MachineState, MapPoint, MapRegion } from '../contract.ts'
import { bounds, mix, shade } from './mapRules.ts'

register([ScatterChart, GeoComponent, TooltipComponent, CanvasRenderer])

export type Outlines = {
  type: 'FeatureCollection'
  features: { properties: { name: string; adcode: string } }[]
}

type Props = {
  label: string
  outlines: Outlines
  /**
   * Null: the country, its provinces shaded. Otherwise one province with its cities, or its
   * machines.
   */
  province: string | null
  regions: readonly MapRegion[]
  /** Machines of a city; null while cities are shown. */
  points: readonly MapPoint[] | null
  nameOf: (region: MapRegion) => string
  stateWords: Readonly<Record<MachineState, string>>
  onRegion: (region: MapRegion) => void
  onPoint?: ((point: MapPoint) => void) | undefined
}

type Hovered = {
  componentType?: string
  name?: string
  data?: { region?: MapRegion; point?: MapPoint }
}

/**
 * The map itself: quiet land, brand where machines stand, status colours only for single machines.
 */
export function MapCanvas(props: Props) {
  const box = useRef<HTMLDivElement>(null)
  const held = useRef(props)
  held.current = props
  const { theme } = usePrefs()
  const { outlines, province, regions, points, stateWords } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words change with the language
  useEffect(() => {
    if (!box.current) return
    const [colors, token, style] = [
      chartColors(theme),
      tokens(theme),
      getComputedStyle(document.documentElement),
    ]
    const land = token.colorFillSecondary ?? ''
    const map = registered(outlines, province)
    const byName = new Map(regions.map((region) => [region.name, region]))
    const levels = [colors.barToday, colors.bar, mix(colors.bar, colors.line, 0.5), colors.line]
    const most = Math.max(1, ...regions.map((region) => region.total))
    const stateColor = (state: MachineState) =>
      style.getPropertyValue(`--hd-st-${state === 'soldOut' ? 'warn' : state}-mark`).trim()
    const around = points ? bounds(points) : null
    // machines and cities by the series, provinces by the map: the map asks for its own
    const formatter = (found: unknown) => tooltip(found as Hovered, byName, held.current)
    const chart = init(box.current)
    chart.setOption({
      animation: false,
      tooltip: {
        confine: true,
        transitionDuration: 0,
        backgroundColor: token.colorBgElevated ?? '',
        borderColor: token.colorBorderSecondary ?? '',
        borderWidth: 1,
        padding: [8, 12],
        textStyle: { color: token.colorText ?? '', fontSize: 12 },
        formatter,
      },
      geo: {
        map,
        left: 4,
        right: 4,
        top: 4,
        bottom: 4,
        preserveAspect: 'contain',
        tooltip: { show: province === null, formatter },
        selectedMode: false,
        ...(around ? { boundingCoords: around } : {}),
        itemStyle: { areaColor: land, borderColor: token.colorBorder ?? '', borderWidth: 0.6 },
        label: { show: false },
        emphasis: {
          label: { show: false },
          itemStyle: province ? { areaColor: land } : { areaColor: token.colorPrimaryBorder ?? '' },
        },
        regions: province
          ? []
          : regions.map((region) => ({
              name: region.name,
              itemStyle: { areaColor: levels[shade(region.total, most)] },
            })),
      },
      series: [
        {
          type: 'scatter',
          coordinateSystem: 'geo',
          animation: false,
          data: points
            ? points.map((point) => ({
                value: [point.lng, point.lat],
                point,
                symbol:
                  point.state === 'fault'
                    ? 'rect'
                    : point.state === 'soldOut'
                      ? 'triangle'
                      : 'circle',
                symbolSize: 9,
                itemStyle: {
                  color: point.state === 'offline' ? land : stateColor(point.state),
                  borderColor:
                    point.state === 'offline'
                      ? stateColor('offline')
                      : (token.colorBgContainer ?? ''),
                  borderWidth: point.state === 'offline' ? 2 : 1,
                },
              }))
            : province === null
              ? []
              : regions.map((region) => ({
                  value: [region.lng, region.lat],
                  region,
                  symbolSize: 18 + 26 * Math.sqrt(region.total / most),
                  itemStyle: { color: colors.line, opacity: 0.9 },
                  label: {
                    show: true,
                    formatter: String(region.total),
                    color: token.colorBgContainer ?? '#fff',
                    fontSize: 12,
                    fontWeight: 600,
                  },
                })),
        },
      ],
    })
    chart.on('click', (event) => {
      const { componentType, name, data } = event as Hovered
      const region =
        data?.region ??
        (componentType === 'geo' && name !== undefined && province === null
          ? byName.get(name)
          : undefined)
      if (region) held.current.onRegion(region)
      else if (data?.point) held.current.onPoint?.(data.point)
    })
    const observer = new ResizeObserver(() => chart.resize())
    observer.observe(box.current)
    return () => {
      observer.disconnect()
      chart.dispose()
    }
  }, [outlines, province, regions, points, theme, stateWords])
  return <div ref={box} style={{ height: '100%' }} role="img" aria-label={props.label} />
}

/** The country as it is; a province alone, so that it fills the box. */
function registered(outlines: Outlines, province: string | null): string {
  const name = `huodao-${province ?? 'country'}`
  if (!getMap(name))
    registerMap(name, {
      ...outlines,
      features: province
        ? outlines.features.filter((one) => one.properties.adcode === province)
        : outlines.features,
    } as never)
  return name
}

/** Built of elements: a machine's name is never read as markup. */
function tooltip(
  hovered: Hovered,
  byName: ReadonlyMap<string, MapRegion>,
  { nameOf, stateWords }: Props,
): HTMLElement | string {
  const point = hovered.data?.point
  const region =
    hovered.data?.region ?? (hovered.name === undefined ? undefined : byName.get(hovered.name))
  if (!point && !region) return ''
  const root = document.createElement('div')
  const line = (name: string, value: string) => {
    const row = root.appendChild(document.createElement('div'))
    row.style.cssText = 'display:flex;justify-content:space-between;gap:24px'
    row.appendChild(document.createElement('span')).textContent = name
    row.appendChild(document.createElement('b')).textContent = value
  }
  if (point) {
    line(point.nickname, stateWords[point.state])
    root.appendChild(document.createElement('div')).textContent = point.rtuNumber
  } else if (region) {
    line(nameOf(region), String(region.total))
    for (const state of ['online', 'soldOut', 'fault', 'offline'] as const)
      if (region[state] > 0) line(stateWords[state], String(region[state]))
  }
  return root
}
