/** Adds whole numbers within ±(2^53 − 1) exactly, with BigInt only when the sum leaves that range. */
export class ExactSum {
  #near = 0;
  #far = 0n;

  add(value: number): void {
    const sum = this.#near + value;
    if (Number.isSafeInteger(sum)) {
      this.#near = sum;
      return;
    }
    this.#far += BigInt(this.#near);
    this.#near = value;
  }

  /** This sum less another one; a bigint only past 2^53 − 1. */
  minus(other: ExactSum): number | bigint {
    return plain(this.#whole() - other.#whole());
  }

  total(): number | bigint {
    return this.#far === 0n ? this.#near : plain(this.#whole());
  }

  #whole(): bigint {
    return this.#far + BigInt(this.#near);
  }
}

function plain(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}
