//! Evaluation of register layouts: maps from elements to threads and registers, and back.

use super::Modes;
use super::RegisterLayout;
use super::error::{ErrorKind, TilusError};
use super::register_layout::{check_index, mode_of};

/// An iterator over the threads that hold one element, in ascending order.
#[derive(Clone, Debug)]
pub struct Threads {
    base: u64,
    /// One pair (number of replicas, distance between their thread numbers) for each replication, fastest first.
    replications: Modes<(u64, u64)>,
    next: u64,
    count: u64,
}

impl Iterator for Threads {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        if self.next == self.count {
            return None;
        }
        let (mut thread, mut rest) = (self.base, self.next);
        for &(times, weight) in self.replications.iter() {
            thread += rest % times * weight;
            rest /= times;
        }
        self.next += 1;
        Some(thread)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.count - self.next);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

impl RegisterLayout {
    fn digits(&self, index: &[u64]) -> Result<Modes<u64>, TilusError> {
        check_index(index, &self.shape)?;
        let mut digits: Modes<u64> = Modes::from_elem(0, self.mode_shape.len());
        for (group, &found) in self.mode_groups().zip(index) {
            let mut rest = found;
            for mode in group.rev() {
                digits[mode] = rest % self.mode_shape[mode];
                rest /= self.mode_shape[mode];
            }
        }
        Ok(digits)
    }

    /// Returns the position of an element in the registers of its threads.
    ///
    /// # Errors
    /// Returns an error if the index has another rank or is out of bounds.
    pub fn local_of(&self, index: &[u64]) -> Result<u64, TilusError> {
        let digits = self.digits(index)?;
        Ok(self.local_modes.iter().fold(0, |place, &mode| {
            place * self.mode_shape[mode] + digits[mode]
        }))
    }

    /// Returns the threads that hold an element, in ascending order.
    ///
    /// ```
    /// # use linear_layout_tilus::{replicated, spatial};
    /// let l = spatial(&[2])?.compose(&replicated(&[2], 3)?)?;
    /// assert_eq!(l.threads_of(&[3])?.collect::<Vec<_>>(), [3, 4, 5]);
    /// # Ok::<(), linear_layout_tilus::TilusError>(())
    /// ```
    /// # Errors
    /// Returns an error if the index has another rank or is out of bounds.
    pub fn threads_of(&self, index: &[u64]) -> Result<Threads, TilusError> {
        let digits = self.digits(index)?;
        let (mut base, mut weight) = (0, 1);
        let mut replications: Modes<(u64, u64)> = Modes::new();
        for &entry in self.spatial_modes.iter().rev() {
            let extent = self.spatial_extent(entry);
            match mode_of(entry) {
                Some(mode) => base += digits[mode] * weight,
                None => replications.push((extent, weight)),
            }
            weight *= extent;
        }
        Ok(Threads {
            base,
            replications,
            next: 0,
            count: self.replications(),
        })
    }

    /// Returns the index of the element at position `local` in the registers of `thread`.
    ///
    /// # Errors
    /// Returns an error if the thread or position does not exist.
    pub fn index_of(&self, thread: u64, local: u64) -> Result<Vec<u64>, TilusError> {
        let mut digits: Modes<u64> = Modes::from_elem(0, self.mode_shape.len());
        self.thread_digits(thread, &mut digits)?;
        let (mut rest, size) = (local, self.local_size());
        if local >= size {
            return Err(ErrorKind::OutOfRange {
                what: "local index",
                at: None,
                found: local,
                size,
            }
            .into());
        }
        for &mode in self.local_modes.iter().rev() {
            digits[mode] = rest % self.mode_shape[mode];
            rest /= self.mode_shape[mode];
        }
        let index = self.mode_groups().map(|group| {
            group.fold(0, |index, mode| {
                index * self.mode_shape[mode] + digits[mode]
            })
        });
        Ok(index.collect())
    }

    /// Returns true if `thread` holds the element at `index`.
    ///
    /// # Errors
    /// Returns an error if the index has another rank or is out of bounds, or if the thread does not exist.
    pub fn holds(&self, thread: u64, index: &[u64]) -> Result<bool, TilusError> {
        let digits = self.digits(index)?;
        let mut of_thread = digits.clone();
        self.thread_digits(thread, &mut of_thread)?;
        Ok(digits == of_thread)
    }

    fn thread_digits(&self, thread: u64, digits: &mut Modes<u64>) -> Result<(), TilusError> {
        let (mut rest, size) = (thread, self.spatial_size());
        if thread >= size {
            return Err(ErrorKind::OutOfRange {
                what: "thread",
                at: None,
                found: thread,
                size,
            }
            .into());
        }
        for &entry in self.spatial_modes.iter().rev() {
            let extent = self.spatial_extent(entry);
            if let Some(mode) = mode_of(entry) {
                digits[mode] = rest % extent;
            }
            rest /= extent;
        }
        Ok(())
    }
}
