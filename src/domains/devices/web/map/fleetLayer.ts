import L from 'leaflet'
import { formatCount } from '../../../../web/Money.tsx'
import type { Tone } from '../../../../web/StatusTag.tsx'
import { type FleetGroup, type FleetMachine, type FleetState, fleetStates } from '../../contract.ts'
import styles from './map.module.css'

/** Colours of map points: red, grey, orange, green; a machine not in use is a hollow grey one. */
const tones: Readonly<Record<FleetState, Tone>> = {
  fault: 'fault',
  offline: 'offline',
  soldOut: 'warn',
  fine: 'online',
  idle: 'closed',
}

type Words = {
  sayGroup: (group: FleetGroup) => string
  sayMachine: (machine: FleetMachine) => string
  onMachine: (id: number) => void
  /** No zoom takes these apart. */
  onPile: (group: FleetGroup) => void
}

export const markOf = (state: FleetState): string => `var(--hd-st-${tones[state]}-mark)`

const namesFrom = 14
const size = (total: number) => Math.round(28 + 7 * Math.log10(total))
/**
 * A ring with the share of each state around the number: what is wrong is seen before it is read.
 */
function groupFace(group: FleetGroup): HTMLElement {
  const face = document.createElement('span')
  let from = 0
  const shares = fleetStates.flatMap((state) => {
    const to = from + group.states[state] / group.total
    const share = `${markOf(state)} ${(from * 100).toFixed(1)}% ${(to * 100).toFixed(1)}%`
    const empty = to === from
    from = to
    return empty ? [] : [share]
  })
  face.style.background = `conic-gradient(${shares.join(', ')})`
  const number = document.createElement('b')
  number.textContent = formatCount(group.total)
  face.append(number)
  return face
}
function machineFace(machine: FleetMachine): HTMLElement {
  const face = document.createElement('span')
  face.className = styles.face ?? ''
  face.dataset.state = machine.state
  face.style.setProperty('--mark', markOf(machine.state))
  const name = document.createElement('em')
  name.textContent = machine.nickname
  const both = document.createElement('div')
  both.append(face, name)
  return both
}

const round = (n: number, up: boolean) => (up ? Math.ceil(n * 1e5) : Math.floor(n * 1e5)) / 1e5
/**
 * The part of the map to ask for: half a window more on each side, and the same one until the
 * window leaves it.
 */
export function part(
  map: L.Map,
  held: { box: number[]; zoom: number } | null,
): { box: number[]; zoom: number } {
  const [view, zoom] = [map.getBounds(), map.getZoom()]
  const [west = 0, south = 0, east = 0, north = 0] = held?.box ?? []
  if (
    held?.zoom === zoom &&
    view.getWest() >= west &&
    view.getSouth() >= south &&
    view.getEast() <= east &&
    view.getNorth() <= north
  )
    return held
  const wide = view.pad(0.5)
  return {
    zoom,
    box: [
      Math.max(-180, round(wide.getWest(), false)),
      Math.max(-85, round(wide.getSouth(), false)),
      Math.min(180, round(wide.getEast(), true)),
      Math.min(85, round(wide.getNorth(), true)),
    ],
  }
}

/**
 * Draws what the server grouped; markers that stay are kept, so that a refresh does not flicker or
 * lose the focus.
 */
export function fleetLayer(map: L.Map, words: Words) {
  const layer = L.layerGroup().addTo(map)
  // without streets around it a machine needs its name
  const closeBy = () =>
    map.getContainer().classList.toggle('hd-map-close', map.getZoom() >= namesFrom)
  map.on('zoomend', closeBy)
  closeBy()
  let held = new Map<string, L.Marker>()
  const enter = (group: FleetGroup) => {
    const [west = 0, south = 0, east = 0, north = 0] = group.box
    const box = L.latLngBounds([south, west], [north, east])
    const closer = map.getBoundsZoom(box.pad(0.1))
    if (map.getZoom() >= map.getMaxZoom() || (west === east && south === north)) words.onPile(group)
    else
      map.setView(box.getCenter(), Math.min(map.getMaxZoom(), Math.max(closer, map.getZoom() + 1)))
  }
  const add = (key: string, marker: L.Marker, say: string, click: () => void) => {
    marker.on('click', click)
    marker.on('keypress', (event) => {
      if ((event as L.LeafletKeyboardEvent).originalEvent.key === 'Enter') click()
    })
    layer.addLayer(marker)
    marker.getElement()?.setAttribute('aria-label', say)
    return [key, marker] as const
  }
  const groupMarker = (group: FleetGroup): L.Marker => {
    const width = size(group.total)
    return L.marker([group.lat, group.lng], {
      title: words.sayGroup(group),
      riseOnHover: true,
      icon: L.divIcon({
        html: groupFace(group),
        className: 'hd-map-group',
        iconSize: [width, width],
      }),
    })
  }
  const machineMarker = (machine: FleetMachine): L.Marker =>
    L.marker([machine.lat, machine.lng], {
      title: words.sayMachine(machine),
      riseOnHover: true,
      icon: L.divIcon({
        html: machineFace(machine),
        className: 'hd-map-machine',
        iconSize: [20, 20],
      }),
    })
  return {
    show(groups: readonly FleetGroup[], machines: readonly FleetMachine[]) {
      const next = new Map<string, L.Marker>()
      const keep = (key: string, make: () => readonly [string, L.Marker]) =>
        next.set(key, held.get(key) ?? make()[1])
      for (const group of groups) {
        const say = words.sayGroup(group)
        const key = `${group.lng} ${group.lat} ${say}`
        keep(key, () => add(key, groupMarker(group), say, () => enter(group)))
      }
      for (const machine of machines) {
        const say = words.sayMachine(machine)
        const key = `${machine.id} ${machine.lng} ${machine.lat} ${say}`
        keep(key, () => add(key, machineMarker(machine), say, () => words.onMachine(machine.id)))
      }
      for (const [key, marker] of held) if (next.get(key) !== marker) marker.remove()
      held = next
    },
    stop: () => {
      map.off('zoomend', closeBy)
      layer.remove()
    },
  }
}
