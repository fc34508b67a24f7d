import type { CSSProperties } from 'react'
import type { FleetState } from '../../contract.ts'
import { markOf } from './fleetLayer.ts'
import styles from './map.module.css'

/** The mark of a machine as the map draws it. */
export const StateFace = ({ state }: { state: FleetState }) => (
  <span
    className={styles.face}
    data-state={state}
    style={{ '--mark': markOf(state) } as CSSProperties}
    aria-hidden="true"
  />
)
