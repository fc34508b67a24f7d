import L from 'leaflet'

type Spot = { lng: number; lat: number }
export type Pin = { move: (at: Spot | null) => void; at: () => Spot | null; stop: () => void }

const shape =
  'M12 1.5c-4.400 0-8 3.500-8 7.900 0 5.800 8 14.600 8 14.600s8-8.800 8-14.600c0-4.400-3.600-7.900-8-7.900z'

function icon(): L.DivIcon {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 24 25')
  for (const [name, attributes] of [
    ['path', { d: shape }],
    ['circle', { cx: '12', cy: '9.400', r: '3' }],
  ] as const) {
    const part = document.createElementNS('http://www.w3.org/2000/svg', name)
    for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value)
    svg.append(part)
  }
  return L.divIcon({
    html: svg as unknown as HTMLElement,
    className: 'hd-map-pin',
    iconSize: [32, 33],
    iconAnchor: [16, 33],
  })
}

/**
 * A pin for mouse, finger and keyboard: click or drag; Enter on the map puts it into the middle;
 * arrows on the pin move it by pixels.
 */
export function putPin(
  map: L.Map,
  { label, onMove }: { label: string; onMove: (at: Spot) => void },
): Pin {
  const marker = L.marker([0, 0], {
    draggable: true,
    autoPan: true,
    keyboard: true,
    icon: icon(),
    title: label,
    alt: label,
  })
  let at: Spot | null = null
  const say = ({ lng, lat }: L.LatLng) => onMove(map.wrapLatLng([lat, lng]))
  const arrows: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  }
  const press = (event: KeyboardEvent) => {
    const [x, y] = arrows[event.key] ?? [0, 0]
    if (!at || (x === 0 && y === 0)) return
    event.preventDefault()
    event.stopPropagation()
    const pixels = event.shiftKey ? 20 : 2
    say(
      map.containerPointToLatLng(
        map.latLngToContainerPoint([at.lat, at.lng]).add([x * pixels, y * pixels]),
      ),
    )
  }
  const enter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.target !== map.getContainer()) return
    event.preventDefault()
    say(map.getCenter())
  }
  const click = (event: L.LeafletMouseEvent) => say(event.latlng)
  marker.on('dragend', () => say(marker.getLatLng()))
  map.on('click', click)
  map.getContainer().addEventListener('keydown', enter)
  return {
    at: () => at,
    move: (next) => {
      at = next
      if (!next) return void marker.remove()
      marker.setLatLng([next.lat, next.lng])
      if (map.hasLayer(marker)) return
      marker.addTo(map)
      marker.getElement()?.addEventListener('keydown', press)
    },
    stop: () => {
      map.off('click', click)
      map.getContainer().removeEventListener('keydown', enter)
      marker.remove()
    },
  }
}
