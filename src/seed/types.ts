import type { Motif } from './motifs.ts'
import type { PictureKind, PictureTint } from './pictures.ts'

export type OrganisationKind =
  | 'PLATFORM'
  | 'AGENT'
  | 'OPERATOR'
  | 'SPONSOR'
  | 'SUPPLIER'
  | 'SCHOOL'
  | 'HOSPITAL'
  | 'LANE_TENANT'

export interface DemoOrganisation {
  readonly key: string
  readonly parentKey: string | null
  readonly kind: OrganisationKind
  readonly name: string
  readonly contactName: string
  readonly contactPhone: string
  readonly servicePhone: string
  readonly regionCode: string
  readonly address: string
}

export type RoleIdentifier =
  | 'ROLE_SUPER_ADMIN'
  | 'ROLE_ADMIN'
  | 'ROLE_RTU_AGENT'
  | 'ROLE_RTU_SP'
  | 'ROLE_RTU_REPLENISHER'
  | 'ROLE_RTU_REPAIRER'
  | 'ROLE_SPONSOR'
  | 'ROLE_FINANCE'
  | 'ROLE_CAMPUS_CARD'
  | 'ROLE_HOSPITAL_CARD'
  | 'ROLE_SUPPLIER'
  | 'ROLE_LANE_TENANT'
  | 'ROLE_DRUG_REGULATOR'

export interface DemoStaff {
  readonly username: string
  readonly realName: string
  readonly orgKey: string
  readonly role: RoleIdentifier
  readonly phone: string
  readonly title: string
  /** Only for regulators: the region whose drug machines they see. */
  readonly regionCode: string | null
}

export type DevicePattern = 'spring' | 'lift' | 'belt' | 'pusher' | 'locker'
export type DeviceKind = 'GENERAL' | 'DRUG' | 'FLOWER' | 'LIFT' | 'CABINET'

export interface DemoDeviceType {
  readonly key: string
  readonly name: string
  readonly screen: boolean
  readonly screenSize: string
  readonly refrigeration: boolean
  readonly pattern: DevicePattern
  readonly dropSensor: boolean
  readonly kind: DeviceKind
  readonly maxLevels: number
  /** Lanes per level. */
  readonly maxRoads: number
}

export type DrugClass = 'NONE' | 'OTC_B' | 'OTC_A' | 'RX'

export interface DemoCategory {
  readonly key: string
  readonly name: string
  readonly sort: number
}

export interface DemoProduct {
  readonly key: string
  readonly name: string
  readonly categoryKey: string
  readonly model: string
  readonly drugClass: DrugClass
  /** Prices in fen. */
  readonly costPrice: number
  readonly retailPrice: number
  readonly barcode: string
  readonly manufacturer: string
  readonly approvalNo: string | null
  readonly dosageForm: string | null
  readonly storeTempMin: number | null
  readonly storeTempMax: number | null
  readonly purchaseLimit: number
  readonly picture: {
    readonly kind: PictureKind
    readonly tint: PictureTint
    readonly motif?: Motif
  }
  /** How often it is bought against its neighbours; 0 = in no machine. */
  readonly weight: number
}

export type Lifecycle = 'STOCK' | 'OPERATING' | 'PAUSED' | 'SOLD' | 'SCRAPPED'
export type DispensingMode = 'UNATTENDED' | 'PHARMACIST' | 'MEDICAL'
export type Site =
  | 'office'
  | 'metro'
  | 'hospital'
  | 'school'
  | 'mall'
  | 'residential'
  | 'factory'
  | 'airport'

export interface DemoRegion {
  readonly code: string
  readonly name: string
}

export interface DemoDevice {
  readonly rtuNumber: string
  readonly name: string
  readonly typeKey: string
  readonly orgKey: string
  readonly kind: DeviceKind
  readonly province: DemoRegion
  readonly city: DemoRegion
  readonly county: DemoRegion
  readonly address: string
  /** GCJ-02; both null for machines not placed on the map. */
  readonly lng: number | null
  readonly lat: number | null
  readonly lifecycle: Lifecycle
  readonly dispensingMode: DispensingMode | null
  readonly licenceNo: string | null
  readonly licenceAddress: string | null
  readonly site: Site
  /** Sales against the average machine, 0.2 to 3. */
  readonly popularity: number
}

export interface DemoRoad {
  readonly column: number
  readonly productKey: string | null
  readonly capacity: number
  readonly quantity: number
  /** Prices in fen; 0 in a lane without product. */
  readonly retailPrice: number
  readonly price: number
  readonly warnQty: number
  readonly restriction: number
}

export interface DemoFloor {
  readonly level: number
  readonly name: string
  readonly roads: readonly DemoRoad[]
}
