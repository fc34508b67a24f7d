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
  const marker = (
    { lat, lng }: { lat: number; lng: number },
    say: string,
    icon: L.DivIconOptions,
    click: () => void,
  ): L.Marker => {
    const made = L.marker([lat, lng], { title: say, riseOnHover: true, icon: L.divIcon(icon) })
    made.on('click', click)
    made.on('keypress', (event) => {
      if ((event as L.LeafletKeyboardEvent).originalEvent.key === 'Enter') click()
    })
    layer.addLayer(made)
    made.getElement()?.setAttribute('aria-label', say)
    return made
  }
  return {
    show(groups: readonly FleetGroup[], machines: readonly FleetMachine[]) {
      const next = new Map<string, L.Marker>()
      const keep = (key: string, make: () => L.Marker) => next.set(key, held.get(key) ?? make())
      for (const group of groups) {
        const say = words.sayGroup(group)
        keep(`${group.lng} ${group.lat} ${say}`, () => {
          const width = Math.round(28 + 7 * Math.log10(group.total))
          const iconSize: [number, number] = [width, width]
          const icon = { html: groupFace(group), className: 'hd-map-group', iconSize }
          return marker(group, say, icon, () => enter(group))
        })
      }
      for (const machine of machines) {
        const say = words.sayMachine(machine)
        keep(`${machine.id} ${machine.lng} ${machine.lat} ${say}`, () => {
          const iconSize: [number, number] = [20, 20]
          const icon = { html: machineFace(machine), className: 'hd-map-machine', iconSize }
          return marker(machine, say, icon, () => words.onMachine(machine.id))
        })
      }
      for (const [key, old] of held) if (next.get(key) !== old) old.remove()
      held = next
    },
    stop: () => {
      map.off('zoomend', closeBy)
      layer.remove()
    },
  }
}
