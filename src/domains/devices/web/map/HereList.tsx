import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { devices, type FleetGroup, type FleetState } from '../../contract.ts'
import styles from './map.module.css'
import { StateFace } from './StateFace.tsx'

type Props = {
  group: FleetGroup
  filter: Record<string, unknown>
  words: Record<FleetState, string>
  onOpen: (id: number) => void
  onClose: () => void
}

/** Machines of one building: no zoom takes them apart, so they are named. */
export function HereList({ group, filter, words, onOpen, onClose }: Props) {
  const { t } = useTranslation('devices')
  const read = useRead(devices.map, { ...filter, box: group.box, zoom: 22 }, { keep: true })
  return (
    <aside className={styles.here} aria-label={t('map.machines')}>
      <header>
        <strong>{t('map.here', { n: group.total })}</strong>
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined />}
          aria-label={t('web:action.close')}
          onClick={onClose}
        />
      </header>
      <ul>
        {(read.data?.machines ?? []).map((machine) => (
          <li key={machine.id}>
            <button type="button" onClick={() => onOpen(machine.id)}>
              <StateFace state={machine.state} />
              <span>{machine.rtuNumber}</span>
              <span>{machine.nickname}</span>
              <small>{words[machine.state]}</small>
            </button>
          </li>
        ))}
      </ul>
    </aside>
  )
}
