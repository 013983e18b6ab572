interface TileProps {
  readonly name: string;
  readonly value: string;
  /** What has to be known of it. */
  readonly note?: string;
}

/** A figure of the overview. */
export const Tile = ({ name, value, note }: TileProps) => (
  <div class="tile">
    <dt>{name}</dt>
    <dd>{value}</dd>
    {note === undefined ? null : <dd class="tile-note">{note}</dd>}
  </div>
);
